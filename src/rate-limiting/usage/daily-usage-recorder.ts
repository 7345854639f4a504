import { Injectable } from '@nestjs/common';
import { Timers } from '#libs/observability';
import { Database } from '#libs/database';
import { WriteBehind } from '#libs/event-sourcing';
import type { Decision } from '../domain/decision.js';
import type { DailyUsage } from './daily-usage.entity.js';
import { addDailyUsage, DAY_MILLISECONDS, toDay } from './daily-usage-table.js';

// A process that is killed loses no more than this and the time of a write, which is far below the 30 s that the documents promise.
const WRITE_INTERVAL_MILLISECONDS = 10_000;

/** Counts the requests of keys by day in memory, and adds them to the table in batches, never on the path of a request. */
@Injectable()
export class DailyUsageRecorder extends WriteBehind<string, DailyUsage> {
  constructor(
    private readonly database: Database,
    timers: Timers,
  ) {
    super({ content: 'the daily usage of API keys', intervalMilliseconds: WRITE_INTERVAL_MILLISECONDS, timers });
  }

  /** Counts one request of a key. */
  record(keyId: bigint, { at, outcome }: Pick<Decision, 'at' | 'outcome'>): void {
    const [day, admitted] = [toDay(at), outcome === 'admitted' ? 1 : 0];
    this.add(`${keyId}/${day}`, { keyId, dayStart: day * DAY_MILLISECONDS, admitted, refused: 1 - admitted });
  }

  protected override merge(earlier: DailyUsage, { admitted, refused }: DailyUsage): DailyUsage {
    const { keyId, dayStart } = earlier;
    return { keyId, dayStart, admitted: earlier.admitted + admitted, refused: earlier.refused + refused };
  }

  protected async write(usages: ReadonlyMap<string, DailyUsage>): Promise<void> {
    await this.database.transaction((transaction) => addDailyUsage(transaction, [...usages.values()]));
  }
}
