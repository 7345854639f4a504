import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock, currentSpan, failSpan, formatTraceparent, inSpan } from '#libs/observability';
import { OutgoingHttp, TEST_TYPE, type PostOutcome, type PostRequest, type PublicEvent } from '#libs/http';
import { SpanKind, type SpanOptions } from '@opentelemetry/api';
import { signatureHeaders } from '../domain/webhook-signature.js';
import type { StoredWebhook } from '../domain/webhook.js';
import type { PendingDelivery } from '../records/delivery.entity.js';
import type { NewDelivery } from '../records/delivery.store.js';
import { WebhookSecrets } from '../records/webhook-secrets.js';
import { WebhookMetrics } from '../webhooks.metrics.js';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from '../webhooks.settings.js';

const HEADERS = { 'content-type': 'application/cloudevents+json', 'user-agent': 'adoption-webhooks/1' };
const UNIQUE_DIGITS = 12;
const MAX_WAIT_MILLISECONDS = 24 * 3_600_000;
const MAX_JITTER = 0.2;

/** The status by which a receiver ends its endpoint. */
export const GONE = 410;

/** Sends signed messages, once each. */
@Injectable()
export class Sender implements OnApplicationShutdown {
  /** Secrets by each reading of an endpoint: they are read again after it was, so not for each message. */
  private readonly secretsOf = new WeakMap<StoredWebhook, readonly string[]>();

  constructor(
    private readonly http: OutgoingHttp,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
    private readonly metrics: WebhookMetrics,
    @Inject(WEBHOOKS_OPTIONS) private readonly options: WebhooksOptions,
  ) {}

  /**
   * Sends an event and decides whether and when it is sent again. A test is sent only once.
   * @param due the pending message; undefined for the first attempt, also in a replay
   * @returns undefined if `signal` aborts it, as its outcome is unknown then
   * @throws DatabaseUnavailableError if the secrets cannot be read
   */
  async send(
    endpoint: StoredWebhook,
    event: PublicEvent,
    due: PendingDelivery | undefined,
    signal: AbortSignal,
  ): Promise<NewDelivery | undefined> {
    const attemptedAt = this.clock.now();
    const { type, time: eventAt, trace } = event;
    // A test keeps the id with which it was recorded.
    const { eventId = event.position.toString(), attempt = 1, deliveryId: id } = due ?? {};
    const secrets = this.secretsOf.get(endpoint) ?? (await this.secrets.current(endpoint.id));
    this.secretsOf.set(endpoint, secrets);
    const message = { id: messageId(endpoint, eventId, event), timestamp: attemptedAt, body: event.json, secrets };
    const parent = trace ?? currentSpan()?.spanContext();
    const { retryAfter, ...response } = await inSpan('deliver webhook', spanOptions(endpoint, event), parent, () =>
      this.post(endpoint.url, { headers: signatureHeaders(message), body: Buffer.from(event.json), signal }, trace),
    );
    if (signal.aborted) return undefined;
    const isRetried = response.error !== undefined && response.status !== GONE && type !== TEST_TYPE;
    const nextAttemptAt = isRetried
      ? computeNextAttempt({ attempt, attemptedAt, retryAfter }, this.options.settings.retryDelays)
      : undefined;
    this.metrics.deliveries.inc({ outcome: response.error === undefined ? 'delivered' : 'failed' });
    if (isRetried && !nextAttemptAt) this.metrics.deliveries.inc({ outcome: 'given_up' });
    const sent = { id, webhookId: endpoint.id, eventId, type, eventAt, attempt, attemptedAt };
    return { ...sent, ...response, ...(nextAttemptAt && { nextAttemptAt }) };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }

  private async post(url: string, { headers, ...request }: PostRequest, trace: PublicEvent['trace']): Promise<PostOutcome> {
    const span = currentSpan();
    const context = span?.spanContext() ?? trace;
    const traced = { ...HEADERS, ...headers, ...(context && { traceparent: formatTraceparent(context) }) };
    const outcome = judge(await this.http.post(url, { headers: traced, ...request }));
    const { status, error } = outcome;
    if (status !== undefined) span?.setAttribute('http.response.status_code', status);
    if (span && error !== undefined) failSpan(span, String(status ?? 'no_answer'));
    return outcome;
  }
}

/**
 * The same for an event and an endpoint in every attempt, and unique for ever, in any deployment: receivers recognise repeated messages by
 * it. A test is no stored event, so the time of its request makes it unique.
 */
function messageId({ id }: StoredWebhook, eventId: string, { type, time, eventId: uuid }: PublicEvent): string {
  const unique = type === TEST_TYPE ? time.getTime().toString(16).padStart(UNIQUE_DIGITS, '0') : uuid.replaceAll('-', '');
  return `wh${id}_${eventId}_${unique.slice(0, UNIQUE_DIGITS)}`;
}

/** Without the path of the URL, which is usually a secret of the receiver. */
function spanOptions({ id, url }: StoredWebhook, { type }: PublicEvent): SpanOptions {
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
function judge(outcome: PostOutcome): PostOutcome {
  const { status } = outcome;
  const isRefused = status !== undefined && (status < 200 || status >= 300);
  return isRefused ? { ...outcome, error: `answered ${status}` } : outcome;
}

/**
 * Returns when a message is sent again: after the delay of its attempt, lengthened by 0 to 20 % so that retries spread, or when its receiver
 * asks for it, whichever is later. Undefined if it is given up.
 * @param delays milliseconds after the first, second, … attempt; a message is given up after the attempt that follows the last of them
 * @param random returns a random number from 0 to 1, below 1
 */
export function computeNextAttempt(
  { attempt, attemptedAt, retryAfter }: Pick<NewDelivery, 'attempt' | 'attemptedAt'> & Pick<PostOutcome, 'retryAfter'>,
  delays: readonly number[],
  random = Math.random,
): Date | undefined {
  const delay = delays[attempt - 1];
  if (delay === undefined) return undefined;
  const lengthened = delay * (1 + MAX_JITTER * random());
  return new Date(attemptedAt.getTime() + Math.round(Math.max(lengthened, parseRetryAfter(retryAfter, attemptedAt))));
}

/** Returns the milliseconds that a `Retry-After` asks for (RFC 9110 section 10.2.3), at most 24 hours; 0 if it cannot be parsed. */
function parseRetryAfter(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0;
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now.getTime();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), MAX_WAIT_MILLISECONDS);
}
