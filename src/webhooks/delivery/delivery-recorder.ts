import { Inject, Injectable, Logger } from '@nestjs/common';
import { PublicEventCatalog, PublicEventLog, TEST_TYPE } from '#libs/public-events';
import { WebhookDecisions } from '../commands/webhook-decisions.js';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import type { PendingDelivery } from '../records/delivery.store.js';
import type { ProgressChanges } from '../records/endpoint-progress.js';
import { WebhookMetrics } from '../webhooks.metrics.js';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from '../webhooks-options.js';
import { DeliveryWriter, type DeliveryResults } from './delivery-writer.js';
import { nextAttemptAt } from './retry-schedule.js';
import { Sender, type Message, type Sent } from './sender.js';

const MOST_UNWRITTEN = 50;
// Deliveries are listed soon after they were made, while many attempts share a transaction.
const LONGEST_UNWRITTEN_MILLISECONDS = 200;

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
  private unwritten: DeliveryResults;
  private firstUnwrittenAt = 0;
  private writing: Promise<boolean> = Promise.resolve(true);

  constructor(
    private readonly webhookId: bigint,
    private failingSince: Date | undefined,
    private readonly dependencies: DeliveryDependencies,
  ) {
    this.unwritten = noResults(webhookId);
  }

  /**
   * Records an attempt. The outcome of a test does not count as one of the endpoint.
   * @param due the pending message that was sent; undefined for the first attempt, also in a replay
   * @returns false if nothing more is to be sent, because the endpoint is disabled now
   */
  async record(message: Message, sent: Sent, due?: PendingDelivery): Promise<boolean> {
    const { eventId, type, eventAt } = message;
    const { outcome, attemptedAt, retryAfter, ...result } = sent;
    const attempt = due?.attempt ?? 1;
    const isRetried = outcome === 'failed' && type !== TEST_TYPE;
    const { retryDelays } = this.dependencies.options.webhooks;
    const next = isRetried
      ? nextAttemptAt({ delays: retryDelays, random: Math.random }, { attempt, failedAt: attemptedAt, retryAfter })
      : undefined;
    const event = { webhookId: this.webhookId, eventId, type, eventAt };
    if (this.unwritten.attempts.length === 0) this.firstUnwrittenAt = performance.now();
    this.unwritten.attempts.push({ ...event, ...result, id: due?.deliveryId, attempt, attemptedAt, ...(next && { nextAttemptAt: next }) });
    if (due) this.settle(due, next);
    else if (next) this.unwritten.failed.push({ ...event, attempt: 2, dueAt: next });
    this.dependencies.metrics.attempted(outcome === 'delivered' ? 'delivered' : 'failed');
    if (isRetried && !next) this.dependencies.metrics.attempted('given_up');
    return type === TEST_TYPE || this.judge(sent);
  }

  /** Records that a pending message is due at another time, or no more if `next` is undefined. */
  settle(was: PendingDelivery, next?: Date): void {
    this.unwritten.settled.push({ was, next });
  }

  advance(progress: ProgressChanges): void {
    this.unwritten.progress = joinProgress(this.unwritten.progress, progress);
  }

  /** Whether it is time to write. */
  get isDue(): boolean {
    const { length } = this.unwritten.attempts;
    return length >= MOST_UNWRITTEN || (length > 0 && performance.now() - this.firstUnwrittenAt >= LONGEST_UNWRITTEN_MILLISECONDS);
  }

  /**
   * Writes everything that is buffered.
   * @returns false if another instance has acquired the endpoint; nothing more is written then
   * @throws DatabaseUnavailableError, after which everything is still buffered
   */
  write(): Promise<boolean> {
    return (this.writing = this.writing.catch(() => true).then((isHeld) => isHeld && this.writeBuffered()));
  }

  private async writeBuffered(): Promise<boolean> {
    const { attempts, settled, progress } = this.unwritten;
    if (attempts.length === 0 && settled.length === 0 && Object.keys(progress).length === 0) return true;
    const results = this.unwritten;
    this.unwritten = noResults(this.webhookId);
    try {
      return await this.dependencies.writer.write(results);
    } catch (error) {
      const later = this.unwritten;
      this.unwritten = {
        webhookId: this.webhookId,
        attempts: [...results.attempts, ...later.attempts],
        failed: [...results.failed, ...later.failed],
        settled: [...results.settled, ...later.settled],
        progress: joinProgress(results.progress, later.progress),
      };
      throw error;
    }
  }

  private async judge({ outcome, attemptedAt }: Sent): Promise<boolean> {
    if (outcome === 'gone') return this.disable('gone');
    if (outcome === 'delivered') {
      if (this.failingSince) this.advance({ failingSince: null });
      this.failingSince = undefined;
      return true;
    }
    if (!this.failingSince) this.advance({ failingSince: attemptedAt });
    this.failingSince ??= attemptedAt;
    const isFailing = attemptedAt.getTime() - this.failingSince.getTime() >= this.dependencies.options.webhooks.disableAfter;
    return isFailing ? this.disable('failing') : true;
  }

  /** The results are written first: the progress of the endpoint is removed when it is disabled. */
  private async disable(reason: 'gone' | 'failing'): Promise<false> {
    if (!(await this.write())) return false;
    const { decisions, metrics, logger } = this.dependencies;
    try {
      const command = { kind: 'disable', id: this.webhookId, reason } as const;
      const { webhook } = await decisions.decide({ command, metadata: { actor: 'system' } });
      if (webhook.disabledReason !== reason) return false;
    } catch (error) {
      if (error instanceof WebhookNotFoundError) return false;
      throw error;
    }
    metrics.disabledFor(reason);
    const why = reason === 'gone' ? 'its receiver says that it is gone' : 'all attempts have failed for too long';
    logger.warn(`The webhook endpoint ${this.webhookId} is disabled: ${why}.`);
    return false;
  }
}

function noResults(webhookId: bigint): DeliveryResults {
  return { webhookId, attempts: [], failed: [], settled: [], progress: {} };
}

function joinProgress(earlier: ProgressChanges, later: ProgressChanges): ProgressChanges {
  const replayed = earlier.replayed && later.replayed && { from: earlier.replayed.from, to: later.replayed.to };
  return { ...earlier, ...later, ...(replayed && { replayed }) };
}
