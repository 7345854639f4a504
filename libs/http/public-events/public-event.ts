import type { ReferenceObject } from '@nestjs/swagger';
import { stringifyJson } from '../json/json.js';
import type { Decider, DomainEvent, PublishedForm, RecordedEvent } from '#libs/event-sourcing';
import { defineSchema } from '../openapi/components.js';
import type { SpanContext } from '@opentelemetry/api';
import { readTraceparent } from '#libs/observability';

// As many digits as the largest int64 has, so that sequences sort as texts.
const SEQUENCE_DIGITS = 19;

/** A published event. */
export interface PublicEvent {
  /** Place in the log, ascending with gaps. */
  readonly position: bigint;
  /** UUID of the stored event, unlike its position unique across deployments and restores. */
  readonly eventId: string;
  /** Such as `pet.added`. */
  readonly type: string;
  /** Such as `pets/7`. */
  readonly subject: string;
  /** When it was recorded. */
  readonly time: Date;
  /** CloudEvents 1.0 as JSON on one line; always the same text. */
  readonly json: string;
  /** The trace in which it happened, which is sent beside `json`. */
  readonly trace: SpanContext | undefined;
}

/** A published event type. */
export interface DescribedEventType extends PublishedForm {
  readonly resource: Pick<PublicResource, 'collection' | 'schema' | 'example'>;
  /** URL of the schema of its data. */
  readonly dataschema: string;
}

/** The parts of an event except its type. */
interface EventFacts {
  readonly event: Pick<RecordedEvent, 'eventId' | 'position' | 'recordedAt' | 'metadata'>;
  readonly subject: string;
  /** What REST showed after it. */
  readonly data: object;
}

/** Renders an event as CloudEvents 1.0 in JSON. */
export function toPublicEvent(
  { as, dataschema }: Pick<DescribedEventType, 'as' | 'dataschema'>,
  source: string,
  { event, subject, data }: EventFacts,
): PublicEvent {
  const { eventId, position, recordedAt: time, metadata } = event;
  const json = stringifyJson({
    specversion: '1.0',
    id: position.toString(),
    source,
    type: as,
    subject,
    time,
    datacontenttype: 'application/json',
    dataschema,
    sequence: position.toString().padStart(SEQUENCE_DIGITS, '0'),
    data,
  });
  return { position, eventId, type: as, subject, time, json, trace: readTraceparent(metadata.traceparent) };
}

/** A kind of subject of published events, such as animals. */
export interface PublicResource<State = unknown, Event extends DomainEvent = DomainEvent> {
  /** Category of the streams, such as `pet` of `pet-7`; their events are published as `pet.added` and the like. */
  readonly category: string;
  /** First part of the subjects of its events, such as `pets` in `pets/7`. */
  readonly collection: string;
  /** The schema of the data of its events. */
  readonly schema: ReferenceObject;
  /** Returns example data after an event of a type such as `pet.added`. */
  readonly example: (type: string) => { readonly id: number };
  readonly decider: Pick<Decider<State, never, Event>, 'initialState' | 'evolve'>;
  /**
   * Returns what REST shows; undefined for a state that it cannot show.
   * @param after the state after the first `version` events
   */
  show(id: bigint, after: { readonly state: State; readonly version: number }): object | undefined;
}

/** Returns the resource without the types of its decider: its states and events go to this decider only. */
export function publicResource<State, Event extends DomainEvent>(resource: PublicResource<State, Event>): PublicResource {
  return resource;
}

/** The type of the message that tests a webhook endpoint. */
export const TEST_TYPE = 'webhook.test';

/** First id of tests, far beyond positions of the log, so that no receiver takes a test for an event. */
const FIRST_ID = 9_000_000_000_000_000_000n;
/** Prefix of ids that earlier builds stored. */
const EARLIER_PREFIX = 'test-';

const testSchema = defineSchema('WebhookTest', {
  type: 'object',
  description: 'The webhook endpoint that is tried.',
  required: ['id'],
  properties: { id: { type: 'integer', format: 'int64', minimum: 1, description: 'The id of the endpoint.' } },
});

/** The type of tests, for the document and the schema route. */
export const testEventType: Omit<DescribedEventType, 'dataschema'> = {
  as: TEST_TYPE,
  version: 1,
  description: 'An endpoint is tried.',
  resource: { collection: 'webhooks', schema: testSchema, example: () => ({ id: 7 }) },
};

/** Returns the event id of a test delivery. */
export function testEventId(deliveryId: bigint): string {
  return (FIRST_ID + deliveryId).toString();
}

/** Renders the message that tests an endpoint. @param eventId as `testEventId` returns it, or as an earlier build stored it */
export function testEvent(
  { test, source }: { readonly test: DescribedEventType; readonly source: string },
  webhookId: bigint,
  of: { readonly eventId: string; readonly time: Date },
): PublicEvent {
  const { eventId, time } = of;
  const id = eventId.startsWith(EARLIER_PREFIX) ? testEventId(BigInt(eventId.slice(EARLIER_PREFIX.length))) : eventId;
  return toPublicEvent(test, source, {
    event: { eventId: id, position: BigInt(id), recordedAt: time, metadata: { actor: 'system' } },
    subject: `${testEventType.resource.collection}/${webhookId}`,
    data: { id: webhookId },
  });
}
