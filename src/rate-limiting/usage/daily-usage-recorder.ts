import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Database } from '#libs/database';
import { DAY_MILLISECONDS, toDay, type Decision } from '../domain/decision.js';
import { addDailyUsage, type DailyUsage } from './daily-usage-table.js';

// A process that is killed loses no more than this and the time of a write, which is far below the 30 s that the documents promise.
const WRITE_INTERVAL_MILLISECONDS = 10_000;

type Usage = { -readonly [Name in keyof DailyUsage]: DailyUsage[Name] };

/** Counts the requests of keys by day in memory, and adds them to the table in batches, never on the path of a request. */
@Injectable()
export class DailyUsageRecorder implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(DailyUsageRecorder.name);
  /** By the start of the day, then by key. */
  private unwritten = new Map<number, Map<bigint, Usage>>();
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;
  private isFailing = false;

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.write(), WRITE_INTERVAL_MILLISECONDS).unref();
  }

  /** Writes what is left: no more requests are admitted by now, and the database is still open. */
  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.writing;
    await this.write();
  }

  /** Counts one request of a key. */
  record(keyId: bigint, { at, outcome }: Pick<Decision, 'at' | 'outcome'>): void {
    const usage = this.usageOf(keyId, toDay(at) * DAY_MILLISECONDS);
    if (outcome === 'admitted') usage.admitted += 1;
    else usage.refused += 1;
  }

  /** Resolves when the requests so far are in the table, or the attempt has failed, which is repeated with the next batch. */
  write(): Promise<void> {
    return (this.writing ??= this.writeBatch().finally(() => (this.writing = undefined)));
  }

  private async writeBatch(): Promise<void> {
    if (this.unwritten.size === 0) return;
    const usages = [...this.unwritten.values()].flatMap((day) => [...day.values()]);
    this.unwritten = new Map();
    try {
      await this.database.write((transaction) => addDailyUsage(transaction, usages));
      this.isFailing = false;
    } catch (error) {
      for (const { keyId, dayStart, admitted, refused } of usages) {
        const usage = this.usageOf(keyId, dayStart);
        usage.admitted += admitted;
        usage.refused += refused;
      }
      if (!this.isFailing) this.logger.error(`The daily usage of API keys cannot be written, which is tried again: ${String(error)}`);
      this.isFailing = true;
    }
  }

  private usageOf(keyId: bigint, dayStart: number): Usage {
    let day = this.unwritten.get(dayStart);
    if (!day) this.unwritten.set(dayStart, (day = new Map<bigint, Usage>()));
    let usage = day.get(keyId);
    if (!usage) day.set(keyId, (usage = { keyId, dayStart, admitted: 0, refused: 0 }));
    return usage;
  }
}
