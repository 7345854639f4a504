import { Inject, Injectable, Logger } from '@nestjs/common';
import { Timers } from '#libs/observability';
import { Database, pipelined } from '#libs/database';
import { WriteBehind } from '#libs/event-sourcing';
import { PublicEventCatalog, PublicEventFollower, PublicEventLog, TEST_TYPE } from '#libs/http';
import { WebhookDecisions } from '../commands/webhook-decisions.js';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import type { PendingDelivery } from '../records/delivery.entity.js';
import { DeliveryStore, type DeliveryResult, type NewDelivery } from '../records/delivery.store.js';
import { EndpointProgress, type ProgressChanges } from '../records/endpoint-progress.js';
import { WebhookMetrics } from '../webhooks.metrics.js';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from '../webhooks.settings.js';
import { GONE, Sender } from './sender.js';

// However many endpoints there are, their messages take the write lock at most this often: other writes wait less.
export const WRITE_INTERVAL_MILLISECONDS = 100;
// So many messages to an endpoint may be sent again after a crash.
const MAX_UNWRITTEN = 500;

/** The results of messages to an endpoint, and how far it has come with them. */
export interface DeliveryResults {
  readonly results: readonly DeliveryResult[];
  readonly progress: ProgressChanges;
  /** Called if another instance has acquired the endpoint, so that nothing was written. */
  readonly lose: () => void;
}

/**
 * Writes the results of the messages to all endpoints of this instance, one entry for each. Progress is written in the same transaction as
 * the retries of the messages that failed on the way. Results that are lost with the process are sent again.
 */
@Injectable()
export class DeliveryWriter extends WriteBehind<bigint, DeliveryResults> {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveryStore,
    private readonly progress: EndpointProgress,
    timers: Timers,
  ) {
    super({ content: 'the results of messages to webhook endpoints', intervalMilliseconds: WRITE_INTERVAL_MILLISECONDS, timers });
  }

  protected override merge(earlier: DeliveryResults, later: DeliveryResults): DeliveryResults {
    return {
      ...later,
      results: [...earlier.results, ...later.results],
      progress: { ...earlier.progress, ...later.progress },
    };
  }

  protected async write(entries: ReadonlyMap<bigint, DeliveryResults>): Promise<void> {
    const batch = [...entries];
    const held: boolean[] = [];
    await this.database.transaction(
      async (transaction) => {
        await pipelined(
          batch.map(async ([webhookId, { progress }], index) => {
            held[index] = await this.progress.change(transaction, webhookId, progress);
          }),
        );
        const written = batch.flatMap(([, { results }], index) => (held[index] ? results : []));
        await this.deliveries.record(transaction, written);
      },
      { durable: false },
    );
    for (const [index, [, { lose }]] of batch.entries()) if (!held[index]) lose();
  }
}

/** What the workers of all endpoints share. */
@Injectable()
export class DeliveryDependencies {
  readonly logger = new Logger('Webhooks');

  constructor(
    readonly log: PublicEventLog,
    readonly follower: PublicEventFollower,
    readonly catalog: PublicEventCatalog,
    readonly sender: Sender,
    readonly writer: DeliveryWriter,
    readonly metrics: WebhookMetrics,
    readonly decisions: WebhookDecisions,
    readonly timers: Timers,
    @Inject(WEBHOOKS_OPTIONS) readonly options: WebhooksOptions,
  ) {}
}

/** Decides what follows from the attempts to send messages to one endpoint, and hands it to the writer. */
export class DeliveryRecorder {
  /** @param lose called when another instance has acquired the endpoint: nothing more is to be sent */
  constructor(
    private readonly webhookId: bigint,
    private failingSince: Date | undefined,
    private readonly dependencies: DeliveryDependencies,
    private readonly lose: () => void,
  ) {}

  /** Whether so many results are not written that nothing more should be sent. */
  isFull(): boolean {
    return this.unwritten().reduce((count, { results }) => count + results.length, 0) >= MAX_UNWRITTEN;
  }

  /** Whether the database does not know yet of all due messages that were sent, or how far the replay is. */
  isBehind(lane: 'due' | 'replay'): boolean {
    return this.unwritten().some(({ results, progress }) =>
      lane === 'due' ? results.some(({ due }) => due !== undefined) : progress.replayed !== undefined,
    );
  }

  /**
   * Records an attempt and the progress with it. The outcome of a test does not count as one of the endpoint.
   * @param due the pending message that was sent; undefined for the first attempt, also in a replay
   * @returns false if nothing more is to be sent, because the endpoint is disabled now
   */
  async record(attempt: NewDelivery, due: PendingDelivery | undefined, progress: ProgressChanges): Promise<boolean> {
    this.add(progress, { attempt, due });
    if (attempt.type === TEST_TYPE) return true;
    const { status, error, attemptedAt } = attempt;
    if (status === GONE) return this.disable('gone');
    const failingSince = error === undefined ? undefined : (this.failingSince ?? attemptedAt);
    if (failingSince !== this.failingSince) this.add({ failingSince: failingSince ?? null });
    this.failingSince = failingSince;
    const failingFor = attemptedAt.getTime() - (failingSince ?? attemptedAt).getTime();
    return failingSince && failingFor >= this.dependencies.options.settings.disableAfter ? this.disable('failing') : true;
  }

  /** Records progress and results that follow from no attempt. */
  add(progress: ProgressChanges, ...results: readonly DeliveryResult[]): void {
    this.dependencies.writer.add(this.webhookId, { results, progress, lose: this.lose });
  }

  /** Drops everything that is not written. */
  abandon(): void {
    this.dependencies.writer.delete(this.webhookId);
  }

  private unwritten(): DeliveryResults[] {
    return this.dependencies.writer.unwritten(this.webhookId);
  }

  /** The results are written first: the progress of the endpoint is removed when it is disabled. */
  private async disable(reason: 'gone' | 'failing'): Promise<false> {
    const { decisions, metrics, logger, writer } = this.dependencies;
    await writer.flush();
    const command = { kind: 'disable', id: this.webhookId, reason } as const;
    const decided = await decisions.decide({ command, metadata: { actor: 'system' } }).catch((error: unknown) => {
      // It was deleted meanwhile.
      if (error instanceof WebhookNotFoundError) return undefined;
      throw error;
    });
    if (!decided?.changed) return false;
    metrics.disabled.inc({ reason });
    const why = reason === 'gone' ? 'its receiver says that it is gone' : 'all attempts have failed for too long';
    logger.warn(`The webhook endpoint ${this.webhookId} is disabled: ${why}.`);
    return false;
  }
}
