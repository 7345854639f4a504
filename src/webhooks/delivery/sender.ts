import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { OutgoingHttp, type PostOutcome } from '#libs/outgoing-http';
import { SpanKind, type SpanOptions } from '@opentelemetry/api';
import { currentSpan, failSpan, formatTraceparent, inSpan, isTracing } from '#libs/tracing';
import { signatureHeaders } from '../domain/webhook-signature.js';
import { WebhookSecrets } from '../signing/webhook-secrets.js';
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
  ) {}

  /**
   * @param signal gives it up; what came of it is then not known, and undefined
   * @throws DatabaseUnavailableError where the secrets cannot be read
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
    const secrets = await this.secrets.current(id);
    const attemptedAt = this.clock.now();
    const signed = { id: webhookIdOfMessage(id, message), timestamp: attemptedAt, body: message.body, secrets };
    const outcome = await this.http.post(url, {
      headers: { ...HEADERS, ...signatureHeaders(signed), ...this.traceHeaders(message) },
      body: Buffer.from(message.body),
      signal,
    });
    this.note(outcome);
    return signal.aborted ? undefined : { attemptedAt, ...told(outcome) };
  }

  private traceHeaders({ trace }: Message): Readonly<Record<string, string>> {
    const context = currentSpan()?.spanContext() ?? trace;
    return context ? { traceparent: formatTraceparent(context) } : {};
  }

  /** For who sends, every status but 2xx is an error. */
  private note(outcome: PostOutcome): void {
    const span = currentSpan();
    if (!span) return;
    if (outcome.kind === 'answered') span.setAttributes({ 'http.response.status_code': outcome.status });
    if (outcome.kind === 'failed') failSpan(span, 'no_answer');
    else if (!isSuccess(outcome.status)) failSpan(span, String(outcome.status));
  }
}

/** Without the path of the URL, which is the receiver's secret as a rule. */
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

function told(outcome: PostOutcome): Omit<Sent, 'attemptedAt'> {
  const { durationMilliseconds } = outcome;
  if (outcome.kind === 'failed') return { outcome: 'failed', durationMilliseconds, error: outcome.error };
  const { status, retryAfter } = outcome;
  const answered = { durationMilliseconds, status, ...(retryAfter !== undefined && { retryAfter }) };
  if (isSuccess(status)) return { outcome: 'delivered', ...answered };
  return { outcome: status === GONE ? 'gone' : 'failed', ...answered, error: `answered ${status}` };
}
