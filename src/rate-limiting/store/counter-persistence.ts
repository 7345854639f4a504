import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { Database } from '#libs/database';
import { dayOf } from '../domain/windows.js';
import { deleteCountersBefore, loadCounters, saveCounters, toRow } from './counter-table.js';
import { InProcessLimiterStore } from './in-process-limiter.store.js';
import { LimiterStatus } from './limiter.store.js';

// With the time a write takes, less than the second's requests that may be lost when the process is killed.
const SAVE_INTERVAL_MILLISECONDS = 500;
const SWEEP_INTERVAL_MILLISECONDS = 60_000;

/**
 * Carries the counters of keys over a restart, and drops the ones that are over. What was counted in Redis is kept here too: for
 * whoever asks for usage, and for the day on which Redis has lost it. One timer, whatever the number of callers.
 */
@Injectable()
export class CounterPersistence implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(CounterPersistence.name);
  private timer: NodeJS.Timeout | undefined;
  private saving: Promise<void> | undefined;
  private isFailing = false;
  private sweptAt = 0;

  constructor(
    private readonly store: InProcessLimiterStore,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly status: LimiterStatus,
  ) {}

  /** The counters are back before the first request. */
  async onApplicationBootstrap(): Promise<void> {
    this.store.restore(await loadCounters(this.database.reader));
    this.timer = setInterval(() => this.tick(), SAVE_INTERVAL_MILLISECONDS).unref();
  }

  /** Saves the last counts: no more requests are let in by now, and the database is still there. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.saving;
    await this.save();
  }

  private tick(): void {
    const now = this.clock.now().getTime();
    if (Math.abs(now - this.sweptAt) >= SWEEP_INTERVAL_MILLISECONDS) this.sweep(now);
    this.saving ??= this.exchange().finally(() => (this.saving = undefined));
  }

  private sweep(now: number): void {
    const isNewDay = dayOf(now) !== dayOf(this.sweptAt);
    this.sweptAt = now;
    this.store.sweep(now);
    if (isNewDay) void this.attempt(() => this.database.write((transaction) => deleteCountersBefore(transaction, dayOf(now))));
  }

  /** Saves what was counted. While Redis is away the table is how instances hear of each other. */
  private async exchange(): Promise<void> {
    await this.save();
    if (this.status.counting !== 'alone') return;
    await this.attempt(async () => {
      for (const [keyId, counts] of await loadCounters(this.database.reader)) this.store.learn(keyId, counts);
    });
  }

  private async save(): Promise<void> {
    const changed = this.store.takeChanged();
    if (changed.length === 0) return;
    const rows = changed.map(toRow);
    const isSaved = await this.attempt(() => this.database.write((transaction) => saveCounters(transaction, rows)));
    if (!isSaved) this.store.giveBack(changed.map(([keyId]) => keyId));
  }

  /** A failure is logged when it begins, not at every attempt. */
  private async attempt(write: () => Promise<void>): Promise<boolean> {
    try {
      await write();
      this.isFailing = false;
      return true;
    } catch (error) {
      if (!this.isFailing) this.logger.error(`The counters of API keys cannot be saved, which is tried again: ${String(error)}`);
      this.isFailing = true;
      return false;
    }
  }
}
