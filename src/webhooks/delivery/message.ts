import { testEvent, type PublicEvent, type PublicEventCatalog } from '#libs/public-events';
import type { SpanContext } from '@opentelemetry/api';

const UNIQUE_DIGITS = 12;

/** What is sent to an endpoint. */
export interface Message {
  /** That of the event, or of a test. */
  readonly eventId: string;
  /** Twelve hexadecimal digits that no other message with this `eventId` has, in whatever deployment. */
  readonly uniquePart: string;
  readonly type: string;
  /** When what it tells of happened. */
  readonly eventAt: Date;
  /** A CloudEvent in JSON; the same text in every attempt. */
  readonly body: string;
  /** That of the event. */
  readonly trace?: SpanContext | undefined;
}

export function messageOf({ position, eventId, type, time, json, trace }: PublicEvent): Message {
  const uniquePart = eventId.replaceAll('-', '').slice(0, UNIQUE_DIGITS);
  return { eventId: position.toString(), uniquePart, type, eventAt: time, body: json, trace };
}

/** The message that tries an endpoint. It keeps the id with which it was recorded. */
export function testMessage(
  catalog: PublicEventCatalog,
  webhookId: bigint,
  { eventId, eventAt }: Pick<Message, 'eventId' | 'eventAt'>,
): Message {
  // A test is no stored event: the time of its request in milliseconds tells it from those of other deployments.
  const uniquePart = eventAt.getTime().toString(16).padStart(UNIQUE_DIGITS, '0');
  return { ...messageOf(testEvent(catalog, webhookId, { eventId, time: eventAt })), eventId, uniquePart };
}

/** By which a receiver knows a message that it has had: the same for an event and an endpoint, however often it is sent, and for ever unique. */
export function webhookIdOfMessage(webhookId: bigint, { eventId, uniquePart }: Pick<Message, 'eventId' | 'uniquePart'>): string {
  return `wh${webhookId}_${eventId}_${uniquePart}`;
}
