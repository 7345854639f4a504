import type { ReferenceObject } from '@nestjs/swagger';
import { stringifyJson } from '#libs/api-kit';
import type { Decider, DomainEvent, PublishedForm, RecordedEvent } from '#libs/event-store';
import { defineSchema } from '#libs/openapi';
import { readTraceparent, type TraceContext } from '#libs/tracing';

// As many digits as the largest int64 has, so that sequences sort as texts.
const SEQUENCE_DIGITS = 19;

/** An event as it leaves the service. */
export interface PublicEvent {
  /** Place in the log, ascending. Between two events that leave the service there may be others. */
  readonly position: bigint;
  /** UUID of the stored event. Unlike its position it is not that of another event in another deployment, or in a log that was set back. */
  readonly eventId: string;
  /** Such as `pet.added`. */
  readonly type: string;
  /** Such as `pets/7`. */
  readonly subject: string;
  /** When it was recorded. */
  readonly time: Date;
  /** It as CloudEvents 1.0 in JSON, on one line; the same text whenever and wherever it is made. */
  readonly json: string;
  /** What it happened in, which is told beside it and not in it. */
  readonly trace: TraceContext | undefined;
}

/** What receivers are told of a type. */
export interface DescribedEventType extends PublishedForm {
  readonly resource: Pick<PublicResource, 'collection' | 'schema' | 'example'>;
  /** The address of the schema of its data. */
  readonly dataschema: string;
}

/** What is said of an event beside its type. */
export interface EventFacts {
  readonly event: Pick<RecordedEvent, 'eventId' | 'position' | 'recordedAt' | 'metadata'>;
  readonly subject: string;
  /** What REST showed just after it. */
  readonly data: object;
}

/** Writes an event as CloudEvents 1.0 has it in JSON. */
export function publicEvent(
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

/** What published events tell of, such as animals: one for each category of streams whose events leave the service. */
export interface PublicResource {
  /** Of the streams, such as `pet` of `pet-7`; their events are published as `pet.added` and the like. */
  readonly category: string;
  /** What the subjects of its events begin with, such as `pets` in `pets/7`. */
  readonly collection: string;
  /** The schema of the data of its events. */
  readonly schema: ReferenceObject;
  /** Such data after an event of a type such as `pet.added`, for the document. */
  readonly example: (type: string) => { readonly id: number };
  /**
   * What REST showed after each of these events.
   * @param events of one stream, without gaps
   * @param before the state before the first of them, as `shownAfterEach` gave it; undefined where that is the first one of the stream
   */
  shownAfterEach(id: bigint, events: readonly RecordedEvent[], before?: ShownState): readonly ShownState[];
}

/** A resource after an event. */
export interface ShownState {
  /** What REST showed; undefined where a reader of this build could not tell. */
  readonly data: object | undefined;
  /** That of the decider; only the resource that gave it can read it. */
  readonly state: unknown;
}

/** A resource whose form follows from the state of its decider. */
export interface DecidedResource<State, Event extends DomainEvent> extends Omit<PublicResource, 'shownAfterEach'> {
  readonly decider: Pick<Decider<State, never, Event>, 'initialState' | 'evolve'>;
  /**
   * What REST shows; undefined for a state that it could not show.
   * @param state after the first `version` events
   */
  readonly show: (id: bigint, after: { readonly state: State; readonly version: number }) => object | undefined;
}

/** Makes a resource of what is known of its decider. */
export function publicResource<State, Event extends DomainEvent>(resource: DecidedResource<State, Event>): PublicResource {
  const { decider, show, ...described } = resource;
  return {
    ...described,
    shownAfterEach: (id, events, before) => {
      let state = before ? (before.state as State) : decider.initialState;
      return (events as readonly (RecordedEvent & Event)[]).map((event) => {
        state = decider.evolve(state, event);
        return { state, data: show(id, { state, version: event.version }) };
      });
    },
  };
}

/** The type of the message that tries a webhook endpoint. No page and no stream of events has one. */
export const TEST_TYPE = 'webhook.test';

/** Ids of tests begin here. Positions of the log do not come near, so that no receiver takes a test for an event that it has had. */
const FIRST_ID = 9_000_000_000_000_000_000n;
/** How builds before this one wrote the id; such rows may still be there. */
const EARLIER_PREFIX = 'test-';

const testSchema = defineSchema('WebhookTest', {
  type: 'object',
  description: 'The webhook endpoint that is tried.',
  required: ['id'],
  properties: { id: { type: 'integer', format: 'int64', minimum: 1, description: 'The id of the endpoint.' } },
});

/** What the document and the schema route say of tests. */
export const testEventType: Omit<DescribedEventType, 'dataschema'> = {
  as: TEST_TYPE,
  version: 1,
  description: 'An endpoint is tried.',
  resource: { collection: 'webhooks', schema: testSchema, example: () => ({ id: 7 }) },
};

/** The id of the test that a delivery sends. */
export function testEventId(deliveryId: bigint): string {
  return (FIRST_ID + deliveryId).toString();
}

/** Of a catalogue: the type of tests with its address, and where they come from. */
interface TestOrigin {
  readonly test: DescribedEventType;
  readonly source: string;
}

/** The message that tries an endpoint. @param eventId as `testEventId` gives it, or as an earlier build stored it */
export function testEvent(
  { test, source }: TestOrigin,
  webhookId: bigint,
  of: { readonly eventId: string; readonly time: Date },
): PublicEvent {
  const { eventId, time } = of;
  const id = eventId.startsWith(EARLIER_PREFIX) ? testEventId(BigInt(eventId.slice(EARLIER_PREFIX.length))) : eventId;
  return publicEvent(test, source, {
    event: { eventId: id, position: BigInt(id), recordedAt: time, metadata: { actor: 'system' } },
    subject: `${testEventType.resource.collection}/${webhookId}`,
    data: { id: webhookId },
  });
}
