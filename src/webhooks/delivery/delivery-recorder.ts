import { Inject, Injectable, Logger } from '@nestjs/common';
import DataLoader from 'dataloader';
import { Timers } from '#libs/observability';
import { Database, DatabaseUnavailableError, pipelined } from '#libs/database';
import { PublicEventCatalog, PublicEventLog, TEST_TYPE } from '#libs/http';
import { WebhookDecisions } from '../commands/webhook-decisions.js';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import { DeliveryStore, type DeliveryResult, type NewDelivery, type PendingDelivery } from '../records/delivery.store.js';
import { EndpointProgress, type ProgressChanges } from '../records/endpoint-progress.js';
import { WebhookMetrics } from '../webhooks.metrics.js';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from '../webhooks.settings.js';
import { GONE, Sender } from './sender.js';

// However many endpoints there are, their messages take the write lock at most this often: other writes wait less.
const WRITE_INTERVAL_MILLISECONDS = 100;

/** The results of messages to an endpoint, and how far it has come with them. */
export interface DeliveryResults {
  readonly webhookId: bigint;
  readonly results: readonly DeliveryResult[];
  readonly progress: ProgressChanges;
}

/** Writes the results of the messages to all endpoints of this instance, batched into one transaction at a time. */
@Injectable()
export class DeliveryWriter {
  private ready: Promise<unknown> = Promise.resolve();
  private readonly batches = new DataLoader<DeliveryResults, boolean>(
    (batch) => {
      const written = this.writeBatch(batch);
      this.ready = written.then(() => this.timers.sleep(WRITE_INTERVAL_MILLISECONDS));
      return written;
    },
    { cache: false, batchScheduleFn: (dispatch) => void this.ready.then(dispatch) },
  );

  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveryStore,
    private readonly progress: EndpointProgress,
    private readonly timers: Timers,
  ) {}

  /**
   * Writes the results of an endpoint, all or none. Call it again for the same endpoint only after it has settled.
   * @returns false, with nothing written, if another instance has acquired the endpoint
   * @throws DatabaseUnavailableError
   */
  write(results: DeliveryResults): Promise<boolean> {
    return this.batches.load(results);
  }

  /** If writing fails for one endpoint, each is written by itself, so that no endpoint prevents messages to another. Never rejects. */
  private async writeBatch(batch: readonly DeliveryResults[]): Promise<(boolean | Error)[]> {
    try {
      return await this.database.write(
        async (transaction) => {
          const held: boolean[] = [];
          await pipelined(
            batch.map(async ({ webhookId, progress }, index) => {
              held[index] = await this.progress.change(transaction, webhookId, progress);
            }),
          );
          const written = batch.filter((_, index) => held[index]);
          await this.deliveries.record(
            transaction,
            written.flatMap(({ results }) => results),
          );
          return held;
        },
        { durable: false },
      );
    } catch (error) {
      if (batch.length === 1 || error instanceof DatabaseUnavailableError) return batch.map(() => error as Error);
      const outcomes: (boolean | Error)[] = [];
      for (const results of batch) outcomes.push(...(await this.writeBatch([results])));
      return outcomes;
    }
  }
}

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
    readonly timers: Timers,
    @Inject(WEBHOOKS_OPTIONS) readonly options: WebhooksOptions,
  ) {}
}

/**
 * Decides what follows from the attempts to send messages to one endpoint, and buffers it until it is written. Progress is written in the
 * same transaction as the retries of the messages that failed on the way. Results that are lost with the process are sent again.
 */
export class DeliveryRecorder {
  private results: readonly DeliveryResult[] = [];
  private progress: ProgressChanges = {};
  private writing: Promise<boolean> = Promise.resolve(true);

  constructor(
    private readonly webhookId: bigint,
    private failingSince: Date | undefined,
    private readonly dependencies: DeliveryDependencies,
  ) {}

  /**
   * Buffers an attempt and the progress with it. The outcome of a test does not count as one of the endpoint.
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

  /** Buffers progress and results that follow from no attempt. */
  add(progress: ProgressChanges, ...results: readonly DeliveryResult[]): void {
    this.progress = { ...this.progress, ...progress };
    this.results = [...this.results, ...results];
  }

  /** Drops everything that is buffered, and writes nothing more. */
  abandon(): void {
    this.results = [];
    this.progress = {};
    this.writing = Promise.resolve(false);
  }

  /**
   * Writes everything that is buffered.
   * @returns false if another instance has acquired the endpoint or it was abandoned; nothing more is written then
   * @throws DatabaseUnavailableError, after which everything is still buffered
   */
  write(): Promise<boolean> {
    return (this.writing = this.writing.catch(() => true).then((isHeld) => isHeld && this.writeBuffered()));
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
    metrics.disabled.inc({ reason });
    const why = reason === 'gone' ? 'its receiver says that it is gone' : 'all attempts have failed for too long';
    logger.warn(`The webhook endpoint ${this.webhookId} is disabled: ${why}.`);
    return false;
  }
}
