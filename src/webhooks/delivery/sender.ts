import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, currentSpan, failSpan, formatTraceparent, inSpan } from '#libs/observability';
import { OutgoingHttp, TEST_TYPE, type PostOutcome, type PublicEvent } from '#libs/http';
import { SpanKind, type SpanOptions } from '@opentelemetry/api';
import { signatureHeaders } from '../domain/webhook-signature.js';
import type { NewDelivery, PendingDelivery } from '../records/delivery.store.js';
import { WebhookSecrets } from '../records/webhook-secrets.js';
import { WebhookMetrics } from '../webhooks.metrics.js';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from '../webhooks-options.js';

const HEADERS = { 'content-type': 'application/cloudevents+json', 'user-agent': 'adoption-webhooks/1' };
const UNIQUE_DIGITS = 12;
const LONGEST_WAIT = 24 * 3_600_000;
const LARGEST_JITTER = 0.2;

/** The status by which a receiver ends its endpoint. */
export const GONE = 410;

/** A message to an endpoint. Its `json` is the same text in every attempt. */
export interface Message extends Pick<PublicEvent, 'type' | 'time' | 'json' | 'trace'> {
  /** The id of the event or of the test. */
  readonly id: string;
  /** Twelve hexadecimal digits that no other message with this id has, in any deployment. */
  readonly uniquePart: string;
}

interface Target {
  readonly id: bigint;
  readonly url: string;
}

/** The response to a message, or why there was none. For a sender every status but 2xx is an error. */
interface Outcome {
  readonly status?: number;
  readonly error?: string;
  readonly durationMilliseconds: number;
  /** The `Retry-After` header of the response. */
  readonly retryAfter?: string;
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
    private readonly metrics: WebhookMetrics,
    @Inject(WEBHOOKS_OPTIONS) private readonly options: WebhooksOptions,
  ) {}

  /**
   * Sends a message and decides whether and when it is sent again. A test is sent only once.
   * @param due the pending message; undefined for the first attempt, also in a replay
   * @returns undefined if `signal` aborts it, as its outcome is unknown then
   * @throws DatabaseUnavailableError if the secrets cannot be read
   */
  async send(target: Target, message: Message, due: PendingDelivery | undefined, signal: AbortSignal): Promise<NewDelivery | undefined> {
    const parent = message.trace ?? currentSpan()?.spanContext();
    const attemptedAt = this.clock.now();
    const outcome = await inSpan('deliver webhook', spanOptions(target, message), parent, () =>
      this.post(target, message, attemptedAt, signal),
    );
    if (signal.aborted) return undefined;
    const { retryAfter, ...response } = outcome;
    const { id: eventId, type, time: eventAt } = message;
    const attempt = due?.attempt ?? 1;
    const isRetried = response.error !== undefined && response.status !== GONE && type !== TEST_TYPE;
    const nextAttemptAt = isRetried
      ? computeNextAttempt({ attempt, attemptedAt, retryAfter }, this.options.webhooks.retryDelays)
      : undefined;
    this.metrics.attempted(response.error === undefined ? 'delivered' : 'failed');
    if (isRetried && !nextAttemptAt) this.metrics.attempted('given_up');
    const event = { webhookId: target.id, eventId, type, eventAt };
    return { ...event, ...response, id: due?.deliveryId, attempt, attemptedAt, ...(nextAttemptAt && { nextAttemptAt }) };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  private async post({ id, url }: Target, message: Message, timestamp: Date, signal: AbortSignal): Promise<Outcome> {
    const secrets = await this.secrets.current(id);
    // The same for an event and an endpoint in every attempt, and unique for ever: receivers recognise repeated messages by it.
    const messageId = `wh${id}_${message.id}_${message.uniquePart}`;
    const span = currentSpan();
    const context = span?.spanContext() ?? message.trace;
    const posted = await this.http.post(url, {
      headers: {
        ...HEADERS,
        ...signatureHeaders({ id: messageId, timestamp, body: message.json, secrets }),
        ...(context && { traceparent: formatTraceparent(context) }),
      },
      body: Buffer.from(message.json),
      signal,
    });
    const outcome = toOutcome(posted);
    const { status, error } = outcome;
    if (status !== undefined) span?.setAttribute('http.response.status_code', status);
    if (span && error !== undefined) failSpan(span, String(status ?? 'no_answer'));
    return outcome;
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

function toOutcome({ kind: _kind, ...response }: PostOutcome): Outcome {
  if ('error' in response || (response.status >= 200 && response.status < 300)) return response;
  return { ...response, error: `answered ${response.status}` };
}

/** A failed attempt; the first has the number 1. */
export interface FailedAttempt extends Pick<NewDelivery, 'attempt' | 'attemptedAt'> {
  readonly retryAfter?: string | undefined;
}

/**
 * Returns when a message is sent again: after the delay of its attempt, lengthened by 0 to 20 % so that retries spread, or when its receiver
 * asks for it, whichever is later. Undefined if it is given up.
 * @param delays milliseconds after the first, second, … attempt; a message is given up after the attempt that follows the last of them
 * @param random returns a random number from 0 to 1, below 1
 */
export function computeNextAttempt(
  { attempt, attemptedAt, retryAfter }: FailedAttempt,
  delays: readonly number[],
  random = Math.random,
): Date | undefined {
  const delay = delays[attempt - 1];
  if (delay === undefined) return undefined;
  const lengthened = delay * (1 + LARGEST_JITTER * random());
  return new Date(attemptedAt.getTime() + Math.round(Math.max(lengthened, parseRetryAfter(retryAfter, attemptedAt))));
}

/** Returns the milliseconds that a `Retry-After` asks for (RFC 9110 section 10.2.3), at most 24 hours; 0 if it cannot be parsed. */
function parseRetryAfter(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0;
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now.getTime();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), LONGEST_WAIT);
}
