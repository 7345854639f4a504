import { stringifyJson } from '#libs/api-kit';
import type { PublicEvent } from '#libs/public-events';
import type { TraceContext } from '#libs/tracing';
import { TEST_TYPE } from '../records/delivery.js';

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

/** The message that tries an endpoint: an event of no position in the log, which tells of the endpoint itself. */
export function testMessage(source: string, webhookId: bigint, { eventId, eventAt }: Pick<Message, 'eventId' | 'eventAt'>): Message {
  const body = stringifyJson({
    specversion: '1.0',
    id: eventId,
    source,
    type: TEST_TYPE,
    subject: `webhooks/${webhookId}`,
    time: eventAt,
    datacontenttype: 'application/json',
    data: {},
  });
  return { eventId, type: TEST_TYPE, eventAt, body };
}

/** By which a receiver knows a message that it has had: the same for an event and an endpoint, however often it is sent. */
export function webhookIdOfMessage(webhookId: bigint, { eventId }: Pick<Message, 'eventId'>): string {
  return `wh${webhookId}_${eventId}`;
}
