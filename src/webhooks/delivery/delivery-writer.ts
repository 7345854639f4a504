import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database, DatabaseUnavailableError, pipelined } from '#libs/database';
import type { Attempted, PendingDelivery } from '../records/delivery.js';
import { DeliveryRecords } from '../records/delivery-records.js';
import { EndpointProgress, type ProgressChanges } from '../records/endpoint-progress.js';
import { PendingDeliveries } from '../records/pending-deliveries.js';

// However many endpoints there are, their messages take the write lock this often at most: other writes wait less.
const INTERVAL_MILLISECONDS = 100;

/** What has come of the messages to an endpoint. */
export interface DeliveryNotes {
  readonly webhookId: bigint;
  readonly attempts: readonly Attempted[];
  /** Messages whose first attempt has failed. */
  readonly failed: readonly PendingDelivery[];
  /** Messages that were due, and when they are again. */
  readonly settled: readonly { readonly was: PendingDelivery; readonly next: Date | undefined }[];
  readonly progress: ProgressChanges;
}

interface Waiting {
  readonly notes: DeliveryNotes;
  readonly resolve: (isOurs: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** Writes what has come of the messages to the endpoints of this instance: what is there by then in one transaction, for all of them. */
@Injectable()
export class DeliveryWriter {
  private waiting: Waiting[] = [];
  private writing: Promise<void> | undefined;
  private writtenAt = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly records: DeliveryRecords,
    private readonly pending: PendingDeliveries,
    private readonly progress: EndpointProgress,
  ) {}

  /**
   * Writes the notes of an endpoint, all or none. To be called again for the same endpoint when it has settled.
   * @returns false where another instance has the endpoint by now, and nothing is written
   * @throws DatabaseUnavailableError
   */
  write(notes: DeliveryNotes): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ notes, resolve, reject });
      this.writing ??= this.writeWaiting().finally(() => (this.writing = undefined));
    });
  }

  private async writeWaiting(): Promise<void> {
    while (this.waiting.length > 0) {
      const pause = this.writtenAt + INTERVAL_MILLISECONDS - performance.now();
      if (pause > 0) await delay(pause);
      const together = this.waiting;
      this.waiting = [];
      await this.settle(together);
      this.writtenAt = performance.now();
    }
  }

  /** Where writing fails for one of them, each is written alone, so that no endpoint keeps another from being sent to. */
  private async settle(together: readonly Waiting[]): Promise<void> {
    try {
      const ours = await this.store(together.map(({ notes }) => notes));
      for (const { notes, resolve } of together) resolve(ours.has(notes.webhookId));
    } catch (error) {
      if (together.length > 1 && !(error instanceof DatabaseUnavailableError)) for (const one of together) await this.settle([one]);
      else for (const { reject } of together) reject(error);
    }
  }

  /** Gives the endpoints that this instance has. */
  private store(notes: readonly DeliveryNotes[]): Promise<ReadonlySet<bigint>> {
    return this.database.write(
      async (transaction) => {
        const ours = new Set<bigint>();
        await pipelined(
          notes.map(async ({ webhookId, progress }) => {
            if (await this.progress.change(transaction, webhookId, progress)) ours.add(webhookId);
          }),
        );
        const written = notes.filter(({ webhookId }) => ours.has(webhookId));
        await this.records.add(transaction, written);
        await this.pending.addFailed(
          transaction,
          written.flatMap(({ failed }) => failed),
        );
        const settled = written.flatMap((each) => each.settled);
        await pipelined(settled.map(({ was, next }) => this.pending.settle(transaction, was, next)));
        return ours;
      },
      { durable: false },
    );
  }
}
