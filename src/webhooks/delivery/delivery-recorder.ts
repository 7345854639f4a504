import { Inject, Injectable, Logger } from '@nestjs/common';
import { PublicEventCatalog, PublicEventLog, TEST_TYPE } from '#libs/http';
import { WebhookDecisions } from '../commands/webhook-decisions.js';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import type { DeliveryResult, PendingDelivery } from '../records/delivery.store.js';
import type { ProgressChanges } from '../records/endpoint-progress.js';
import { WebhookMetrics } from '../webhooks.metrics.js';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from '../webhooks-options.js';
import { DeliveryWriter } from './delivery-writer.js';
import { nextAttemptAt } from './retry-schedule.js';
import { Sender, type Message, type Sent } from './sender.js';

const MOST_UNWRITTEN = 50;
// Deliveries are listed soon after they were made, while many attempts share a transaction.
const LONGEST_UNWRITTEN_MILLISECONDS = 200;
const GONE = 410;

/** What the workers of all endpoints share. */
@Injectable()
export class DeliveryDependencies {
  readonly logger = new Logger('Webhooks');

  constructor(
    readonly log: PublicEventLog,
    readonly catalog: PublicEventCatalog,
    readonly sender: Sender,
    readonly writer: DeliveryWriter,
    readonly metrics: WebhookMetrics,
    readonly decisions: WebhookDecisions,
    @Inject(WEBHOOKS_OPTIONS) readonly options: WebhooksOptions,
  ) {}
}

/**
 * Decides what follows from the attempts to send messages to one endpoint, and buffers it until it is written. Progress is written in the
 * same transaction as the retries of the messages that failed on the way. Results that are lost with the process are sent again.
 */
export class DeliveryRecorder {
  private results: DeliveryResult[] = [];
  private progress: ProgressChanges = {};
  private firstUnwrittenAt = 0;
  private writing: Promise<boolean> = Promise.resolve(true);

  constructor(
    private readonly webhookId: bigint,
    private failingSince: Date | undefined,
    private readonly dependencies: DeliveryDependencies,
  ) {}

  /** Whether it is time to write. */
  get isDue(): boolean {
    const { length } = this.results;
    return length >= MOST_UNWRITTEN || (length > 0 && performance.now() - this.firstUnwrittenAt >= LONGEST_UNWRITTEN_MILLISECONDS);
  }

  /**
   * Records an attempt. The outcome of a test does not count as one of the endpoint.
   * @param due the pending message that was sent; undefined for the first attempt, also in a replay
   * @returns false if nothing more is to be sent, because the endpoint is disabled now
   */
  async record({ id, type, time }: Message, { retryAfter, ...outcome }: Sent, due?: PendingDelivery): Promise<boolean> {
    const { metrics, options } = this.dependencies;
    const { status, error, attemptedAt } = outcome;
    const isRetried = error !== undefined && status !== GONE && type !== TEST_TYPE;
    const attempt = due?.attempt ?? 1;
    const next = isRetried ? nextAttemptAt({ attempt, attemptedAt, retryAfter }, options.webhooks.retryDelays) : undefined;
    const event = { webhookId: this.webhookId, eventId: id, type, eventAt: time };
    this.add({ attempt: { ...event, ...outcome, id: due?.deliveryId, attempt, ...(next && { nextAttemptAt: next }) }, due });
    metrics.attempted(error === undefined ? 'delivered' : 'failed');
    if (isRetried && !next) metrics.attempted('given_up');
    return type === TEST_TYPE || this.judge(outcome);
  }

  /** Records that a due message can no longer be sent. */
  drop(due: PendingDelivery): void {
    this.add({ due });
  }

  advance(progress: ProgressChanges): void {
    this.progress = { ...this.progress, ...progress };
  }

  /**
   * Writes everything that is buffered.
   * @returns false if another instance has acquired the endpoint; nothing more is written then
   * @throws DatabaseUnavailableError, after which everything is still buffered
   */
  write(): Promise<boolean> {
    return (this.writing = this.writing.catch(() => true).then((isHeld) => isHeld && this.writeBuffered()));
  }

  private add(result: DeliveryResult): void {
    if (this.results.length === 0) this.firstUnwrittenAt = performance.now();
    this.results.push(result);
  }

  private async writeBuffered(): Promise<boolean> {
    const { webhookId, results, progress } = this;
    if (results.length === 0 && Object.keys(progress).length === 0) return true;
    this.results = [];
    this.progress = {};
    try {
      return await this.dependencies.writer.write({ webhookId, results, progress });
    } catch (error) {
      this.results = [...results, ...this.results];
      this.progress = { ...progress, ...this.progress };
      throw error;
    }
  }

  private async judge({ status, error, attemptedAt }: Sent): Promise<boolean> {
    if (status === GONE) return this.disable('gone');
    const failingSince = error === undefined ? undefined : (this.failingSince ?? attemptedAt);
    if (failingSince !== this.failingSince) this.advance({ failingSince: failingSince ?? null });
    this.failingSince = failingSince;
    if (!failingSince) return true;
    const isFailing = attemptedAt.getTime() - failingSince.getTime() >= this.dependencies.options.webhooks.disableAfter;
    return isFailing ? this.disable('failing') : true;
  }

  /** The results are written first: the progress of the endpoint is removed when it is disabled. */
  private async disable(reason: 'gone' | 'failing'): Promise<false> {
    if (!(await this.write())) return false;
    const { decisions, metrics, logger } = this.dependencies;
    const command = { kind: 'disable', id: this.webhookId, reason } as const;
    const decided = await decisions.decide({ command, metadata: { actor: 'system' } }).catch((error: unknown) => {
      // It was deleted meanwhile.
      if (error instanceof WebhookNotFoundError) return undefined;
      throw error;
    });
    if (!decided?.changed) return false;
    metrics.disabledFor(reason);
    const why = reason === 'gone' ? 'its receiver says that it is gone' : 'all attempts have failed for too long';
    logger.warn(`The webhook endpoint ${this.webhookId} is disabled: ${why}.`);
    return false;
  }
}
