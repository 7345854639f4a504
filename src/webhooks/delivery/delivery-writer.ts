import { Injectable } from '@nestjs/common';
import { Timers } from '#libs/observability';
import { Database, pipelined } from '#libs/database';
import { WriteBehind } from '#libs/event-sourcing';
import { DeliveryStore, type DeliveryResult } from '../records/delivery.store.js';
import { EndpointProgress, type ReachedProgress } from '../records/endpoint-progress.js';

// However many endpoints there are, their messages take the write lock at most this often: other writes wait less.
export const WRITE_INTERVAL_MILLISECONDS = 100;

/** What came of the messages to one endpoint since the last write. */
export interface EndpointBatch {
  readonly results: DeliveryResult[];
  readonly progress: ReachedProgress;
  /** Called if another instance has acquired the endpoint, so that nothing was written. */
  readonly lose: () => void;
}

/**
 * Writes the results of the messages to all endpoints of this instance, one batch for each. The progress of an endpoint is written in the
 * same transaction as the retries of the messages that failed on the way. Results that are lost with the process are sent again.
 */
@Injectable()
export class DeliveryWriter extends WriteBehind<bigint, EndpointBatch> {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveryStore,
    private readonly progress: EndpointProgress,
    timers: Timers,
  ) {
    super({ content: 'the results of messages to webhook endpoints', intervalMilliseconds: WRITE_INTERVAL_MILLISECONDS, timers });
  }

  /** A replay that has come further is written as one step from where the database knows it. */
  protected override merge({ results, progress: earlier }: EndpointBatch, later: EndpointBatch): EndpointBatch {
    results.push(...later.results);
    const { replayed = earlier.replayed } = later.progress;
    const joined = replayed && { ...replayed, position: (earlier.replayed ?? replayed).position };
    return { ...later, results, progress: { ...later.progress, replayed: joined } };
  }

  protected async write(batches: ReadonlyMap<bigint, EndpointBatch>): Promise<void> {
    const lost = new Set<bigint>();
    await this.database.transaction(
      async (transaction) => {
        const changes = [...batches].map(async ([id, { progress }]) => {
          if (!(await this.progress.change(transaction, id, progress))) lost.add(id);
        });
        await pipelined(changes);
        await this.deliveries.record(
          transaction,
          [...batches].flatMap(([id, { results }]) => (lost.has(id) ? [] : results)),
        );
      },
      { durable: false },
    );
    for (const id of lost) batches.get(id)?.lose();
  }
}
