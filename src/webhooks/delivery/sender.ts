import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, currentSpan, failSpan, formatTraceparent, inSpan } from '#libs/observability';
import { OutgoingHttp, type PostOutcome, type PublicEvent } from '#libs/http';
import { SpanKind, type SpanOptions } from '@opentelemetry/api';
import { signatureHeaders } from '../domain/webhook-signature.js';
import type { DeliveryOutcome } from '../records/delivery.store.js';
import { WebhookSecrets } from '../records/webhook-secrets.js';

const HEADERS = { 'content-type': 'application/cloudevents+json', 'user-agent': 'adoption-webhooks/1' };
const UNIQUE_DIGITS = 12;

/** A message to an endpoint. Its `json` is the same text in every attempt. */
export interface Message extends Pick<PublicEvent, 'type' | 'time' | 'json' | 'trace'> {
  /** The id of the event or of the test. */
  readonly id: string;
  /** Twelve hexadecimal digits that no other message with this id has, in any deployment. */
  readonly uniquePart: string;
}

/** The outcome of one attempt to send a message. */
export interface Sent extends DeliveryOutcome {
  /** The `Retry-After` header of the response. */
  readonly retryAfter?: string;
}

interface Target {
  readonly id: bigint;
  readonly url: string;
}

export function eventMessage(event: PublicEvent): Message {
  return { ...event, id: event.position.toString(), uniquePart: event.eventId.replaceAll('-', '').slice(0, UNIQUE_DIGITS) };
}

/** A test keeps the id with which it was recorded. It is no stored event, so the time of its request makes its message unique. */
export function testMessage(test: PublicEvent, id: string): Message {
  return { ...test, id, uniquePart: test.time.getTime().toString(16).padStart(UNIQUE_DIGITS, '0') };
}

/** Sends signed messages, once each. */
@Injectable()
export class Sender implements OnApplicationShutdown {
  constructor(
    private readonly http: OutgoingHttp,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns undefined if `signal` aborts it, as its outcome is unknown then.
   * @throws DatabaseUnavailableError if the secrets cannot be read
   */
  send(target: Target, message: Message, signal: AbortSignal): Promise<Sent | undefined> {
    const parent = message.trace ?? currentSpan()?.spanContext();
    return inSpan('deliver webhook', spanOptions(target, message), parent, () => this.attempt(target, message, signal));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  private async attempt({ id, url }: Target, message: Message, signal: AbortSignal): Promise<Sent | undefined> {
    const secrets = await this.secrets.current(id);
    const attemptedAt = this.clock.now();
    // The same for an event and an endpoint in every attempt, and unique for ever: receivers recognise repeated messages by it.
    const messageId = `wh${id}_${message.id}_${message.uniquePart}`;
    const context = currentSpan()?.spanContext() ?? message.trace;
    const outcome = await this.http.post(url, {
      headers: {
        ...HEADERS,
        ...signatureHeaders({ id: messageId, timestamp: attemptedAt, body: message.json, secrets }),
        ...(context && { traceparent: formatTraceparent(context) }),
      },
      body: Buffer.from(message.json),
      signal,
    });
    const sent = { attemptedAt, ...judge(outcome) };
    traceOutcome(sent);
    return signal.aborted ? undefined : sent;
  }
}

/** Without the path of the URL, which is usually a secret of the receiver. */
function spanOptions({ id, url }: Target, { type }: Message): SpanOptions {
  const { hostname, port } = new URL(url);
  const attributes = {
    'http.request.method': 'POST',
    'server.address': hostname,
    'server.port': port === '' ? undefined : Number(port),
    'adoption.webhook.id': id.toString(),
    'adoption.event.type': type,
  };
  return { kind: SpanKind.CLIENT, attributes };
}

/** For a sender every status but 2xx is an error. */
function judge({ kind: _kind, ...response }: PostOutcome): Omit<Sent, 'attemptedAt'> {
  if ('error' in response || (response.status >= 200 && response.status < 300)) return response;
  return { ...response, error: `answered ${response.status}` };
}

function traceOutcome({ status, error }: Sent): void {
  const span = currentSpan();
  if (status !== undefined) span?.setAttribute('http.response.status_code', status);
  if (span && error !== undefined) failSpan(span, String(status ?? 'no_answer'));
}
