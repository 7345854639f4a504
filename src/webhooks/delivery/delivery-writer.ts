import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { Database, DatabaseUnavailableError, pipelined } from '#libs/database';
import { DeliveryStore, type DeliveryResult } from '../records/delivery.store.js';
import { EndpointProgress, type ProgressChanges } from '../records/endpoint-progress.js';

// However many endpoints there are, their messages take the write lock at most this often: other writes wait less.
const INTERVAL_MILLISECONDS = 100;

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
      this.ready = written.then(() => delay(INTERVAL_MILLISECONDS));
      return written;
    },
    { cache: false, batchScheduleFn: (dispatch) => void this.ready.then(dispatch) },
  );

  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveryStore,
    private readonly progress: EndpointProgress,
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
