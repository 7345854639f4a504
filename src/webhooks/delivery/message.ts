import { testEvent, type PublicEvent, type PublicEventCatalog } from '#libs/public-events';
import type { TraceContext } from '#libs/tracing';

/** What is sent to an endpoint. */
export interface Message {
  /** That of the event, or of a test. */
  readonly eventId: string;
  readonly type: string;
  /** When what it tells of happened. */
  readonly eventAt: Date;
  /** A CloudEvent in JSON; the same text in every attempt. */
  readonly body: string;
  /** That of the event. */
  readonly trace?: TraceContext | undefined;
}

export function messageOf({ position, type, time, json, trace }: PublicEvent): Message {
  return { eventId: position.toString(), type, eventAt: time, body: json, trace };
}

/** The message that tries an endpoint. It keeps the id with which it was recorded. */
export function testMessage(
  catalog: PublicEventCatalog,
  webhookId: bigint,
  { eventId, eventAt }: Pick<Message, 'eventId' | 'eventAt'>,
): Message {
  return { ...messageOf(testEvent(catalog, webhookId, { eventId, time: eventAt })), eventId };
}

/** By which a receiver knows a message that it has had: the same for an event and an endpoint, however often it is sent. */
export function webhookIdOfMessage(webhookId: bigint, { eventId }: Pick<Message, 'eventId'>): string {
  return `wh${webhookId}_${eventId}`;
}
