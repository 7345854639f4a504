import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { OutgoingHttp, type PostOutcome } from '#libs/outgoing-http';
import { signatureHeaders } from '../domain/webhook-signature.js';
import { WebhookSecrets } from '../signing/webhook-secrets.js';
import { DELIVERY_OPTIONS, type DeliveryOptions } from './delivery-options.js';
import { webhookIdOfMessage, type Message } from './message.js';

const HEADERS = { 'content-type': 'application/cloudevents+json', 'user-agent': 'adoption-webhooks/1' };
const GONE = 410;

/** Where a message goes. */
export interface Target {
  readonly id: bigint;
  readonly url: string;
}

/** What came of one attempt to send a message. */
export interface Sent {
  readonly outcome: 'delivered' | 'failed' | 'gone';
  readonly attemptedAt: Date;
  readonly durationMilliseconds: number;
  readonly status?: number;
  readonly error?: string;
  readonly retryAfter?: string;
}

/** Sends signed messages, once each. */
@Injectable()
export class Sender implements OnApplicationShutdown {
  constructor(
    private readonly http: OutgoingHttp,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
    @Inject(DELIVERY_OPTIONS) private readonly options: DeliveryOptions,
  ) {}

  /**
   * @param signal gives it up; what came of it is then not known, and undefined
   * @throws DatabaseUnavailableError where the secrets cannot be read
   */
  async send({ id, url }: Target, message: Message, signal: AbortSignal): Promise<Sent | undefined> {
    const secrets = await this.secrets.current(id);
    const attemptedAt = this.clock.now();
    const signed = { id: webhookIdOfMessage(id, message), timestamp: attemptedAt, body: message.body, secrets };
    const outcome = await this.http.post(url, {
      headers: { ...HEADERS, ...signatureHeaders(signed) },
      body: Buffer.from(message.body),
      timeoutMilliseconds: this.options.timeout,
      signal,
    });
    return signal.aborted ? undefined : { attemptedAt, ...told(outcome) };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.http.close();
  }
}

function told(outcome: PostOutcome): Omit<Sent, 'attemptedAt'> {
  const { durationMilliseconds } = outcome;
  if (outcome.kind === 'failed') return { outcome: 'failed', durationMilliseconds, error: outcome.error };
  const { status, retryAfter } = outcome;
  const answered = { durationMilliseconds, status, ...(retryAfter !== undefined && { retryAfter }) };
  if (status >= 200 && status < 300) return { outcome: 'delivered', ...answered };
  return { outcome: status === GONE ? 'gone' : 'failed', ...answered, error: `answered ${status}` };
}
