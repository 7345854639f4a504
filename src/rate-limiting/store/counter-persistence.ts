import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '#libs/observability';
import { Database } from '#libs/database';
import { dayOf } from '../domain/decision.js';
import { deleteCountersBefore, loadCounters, saveCounters, toRow } from './counter-table.js';
import { InProcessLimiterStore } from './in-process-limiter.store.js';
import { LimiterStore } from './limiter.store.js';

// With the time of a write, less than the second whose requests may be lost if the process is killed.
const SAVE_INTERVAL_MILLISECONDS = 500;
const SWEEP_INTERVAL_MILLISECONDS = 60_000;

/** Saves the counters of keys for a restart, for usage, and in case Redis loses them; evicts those that are over. */
@Injectable()
export class CounterPersistence implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(CounterPersistence.name);
  private timer: NodeJS.Timeout | undefined;
  private saving: Promise<void> | undefined;
  private isFailing = false;
  private sweptAt = 0;

  constructor(
    private readonly counters: InProcessLimiterStore,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly store: LimiterStore,
  ) {}

  /** Restores the counters before the first request. */
  async onApplicationBootstrap(): Promise<void> {
    this.counters.restore(await loadCounters(this.database.reader));
    this.timer = setInterval(() => this.tick(), SAVE_INTERVAL_MILLISECONDS).unref();
  }

  /** Saves the last counts: no more requests are admitted by now, and the database is still open. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.saving;
    await this.save();
  }

  private tick(): void {
    const now = this.clock.now().getTime();
    if (Math.abs(now - this.sweptAt) >= SWEEP_INTERVAL_MILLISECONDS) this.sweep(now);
    this.saving ??= this.synchronize().finally(() => (this.saving = undefined));
  }

  private sweep(now: number): void {
    const isNewDay = dayOf(now) !== dayOf(this.sweptAt);
    this.sweptAt = now;
    this.counters.sweep(now);
    if (isNewDay) void this.attempt(() => this.database.write((transaction) => deleteCountersBefore(transaction, dayOf(now))));
  }

  /** Saves what was counted. While Redis is away, instances learn of each other's counts from the table. */
  private async synchronize(): Promise<void> {
    await this.save();
    if (this.store.counting !== 'alone') return;
    await this.attempt(async () => {
      for (const [keyId, counts] of await loadCounters(this.database.reader)) this.counters.merge(keyId, counts);
    });
  }

  private async save(): Promise<void> {
    const changed = this.counters.takeChanged();
    if (changed.length === 0) return;
    const rows = changed.map(toRow);
    const isSaved = await this.attempt(() => this.database.write((transaction) => saveCounters(transaction, rows)));
    if (!isSaved) this.counters.returnChanged(changed.map(([keyId]) => keyId));
  }

  /** Logs the first of several failures in a row. */
  private async attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      this.isFailing = false;
      return true;
    } catch (error) {
      if (!this.isFailing) this.logger.error(`The counters of API keys cannot be saved, which is tried again: ${String(error)}`);
      this.isFailing = true;
      return false;
    }
  }
}
