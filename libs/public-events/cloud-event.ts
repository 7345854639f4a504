import { stringifyJson } from '#libs/api-kit';
import type { PublishedForm, RecordedEvent } from '#libs/event-store';
import type { SpanContext } from '@opentelemetry/api';
import { readTraceparent } from '#libs/tracing';
import type { PublicResource } from './public-resource.js';

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
  readonly trace: SpanContext | undefined;
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
