import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, currentSpan, failSpan, formatTraceparent, inSpan, isTracing } from '#libs/observability';
import { OutgoingHttp, type PostOutcome, type PublicEvent } from '#libs/http';
import { SpanKind, type SpanContext, type SpanOptions } from '@opentelemetry/api';
import { signatureHeaders } from '../domain/webhook-signature.js';
import { WebhookSecrets } from '../records/webhook-secrets.js';

const HEADERS = { 'content-type': 'application/cloudevents+json', 'user-agent': 'adoption-webhooks/1' };
const GONE = 410;
const UNIQUE_DIGITS = 12;

/** A message to an endpoint. */
export interface Message {
  /** The id of the event or of the test. */
  readonly eventId: string;
  /** Twelve hexadecimal digits that no other message with this `eventId` has, in any deployment. */
  readonly uniquePart: string;
  readonly type: string;
  /** When the event happened. */
  readonly eventAt: Date;
  /** A CloudEvent in JSON; the same text in every attempt. */
  readonly body: string;
  /** The trace in which the event happened. */
  readonly trace?: SpanContext | undefined;
}

/** The outcome of one attempt to send a message. */
export interface Sent {
  readonly outcome: 'delivered' | 'failed' | 'gone';
  readonly attemptedAt: Date;
  readonly durationMilliseconds: number;
  readonly status?: number;
  readonly error?: string;
  /** The `Retry-After` header of the response. */
  readonly retryAfter?: string;
}

interface Target {
  readonly id: bigint;
  readonly url: string;
}

export function eventMessage({ position, eventId, type, time, json, trace }: PublicEvent): Message {
  const uniquePart = eventId.replaceAll('-', '').slice(0, UNIQUE_DIGITS);
  return { eventId: position.toString(), uniquePart, type, eventAt: time, body: json, trace };
}

/** A test keeps the id with which it was recorded. It is no stored event, so the time of its request makes its message unique. */
export function testMessage(test: PublicEvent, eventId: string): Message {
  return { ...eventMessage(test), eventId, uniquePart: test.time.getTime().toString(16).padStart(UNIQUE_DIGITS, '0') };
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
    if (!isTracing()) return this.attempt(target, message, signal);
    const parent = message.trace ?? currentSpan()?.spanContext();
    return inSpan('deliver webhook', spanOptions(target, message), parent, () => this.attempt(target, message, signal));
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  private async attempt({ id, url }: Target, message: Message, signal: AbortSignal): Promise<Sent | undefined> {
    const { eventId, uniquePart, body, trace } = message;
    const secrets = await this.secrets.current(id);
    const attemptedAt = this.clock.now();
    // The same for an event and an endpoint in every attempt, and unique for ever: receivers recognise repeated messages by it.
    const messageId = `wh${id}_${eventId}_${uniquePart}`;
    const context = currentSpan()?.spanContext() ?? trace;
    const outcome = await this.http.post(url, {
      headers: {
        ...HEADERS,
        ...signatureHeaders({ id: messageId, timestamp: attemptedAt, body, secrets }),
        ...(context && { traceparent: formatTraceparent(context) }),
      },
      body: Buffer.from(body),
      signal,
    });
    this.traceOutcome(outcome);
    return signal.aborted ? undefined : { attemptedAt, ...toSent(outcome) };
  }

  /** For a sender every status but 2xx is an error. */
  private traceOutcome(outcome: PostOutcome): void {
    const span = currentSpan();
    if (!span) return;
    if (outcome.kind === 'failed') {
      failSpan(span, 'no_answer');
      return;
    }
    span.setAttribute('http.response.status_code', outcome.status);
    if (!isSuccess(outcome.status)) failSpan(span, String(outcome.status));
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

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function toSent(outcome: PostOutcome): Omit<Sent, 'attemptedAt'> {
  const { durationMilliseconds } = outcome;
  if (outcome.kind === 'failed') return { outcome: 'failed', durationMilliseconds, error: outcome.error };
  const { status, retryAfter } = outcome;
  const answered = { durationMilliseconds, status, ...(retryAfter !== undefined && { retryAfter }) };
  if (isSuccess(status)) return { outcome: 'delivered', ...answered };
  return { outcome: status === GONE ? 'gone' : 'failed', ...answered, error: `answered ${status}` };
}
