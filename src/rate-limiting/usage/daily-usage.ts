import { Injectable } from '@nestjs/common';
import { WriteBehind } from '#libs/event-sourcing';
import { Timers } from '#libs/observability';
import { Database, entityTable, type Migration, isOneOf, raw, sql, type RetentionRule, type SqlRunner } from '#libs/database';
import type { Decision } from '../domain/decision.js';
import { DailyUsage } from './daily-usage.entity.js';

export const DAY_MILLISECONDS = 86_400_000;

const table = entityTable(DailyUsage);
const ADD_UP = raw(
  'ON CONFLICT ("key_id", "day_start") DO UPDATE SET ' +
    ['admitted', 'refused'].map((name) => `"${name}" = "${table.name}"."${name}" + excluded."${name}"`).join(', '),
);

/** How many requests of each key were admitted and refused on each UTC day. */
export const createDailyUsage: Migration = {
  name: 'CreateDailyUsage1767227000000',
  statements: ({ columnTypes: { int64 } }) => [
    `CREATE TABLE "api_key_daily_usage" (
         "key_id" ${int64} NOT NULL,
         "day_start" ${int64} NOT NULL,
         "admitted" ${int64} NOT NULL,
         "refused" ${int64} NOT NULL,
         PRIMARY KEY ("key_id", "day_start")
       )`,
    `CREATE INDEX "api_key_daily_usage_day_start" ON "api_key_daily_usage" ("day_start")`,
  ],
};

export const dailyUsageRetention: RetentionRule = { entity: DailyUsage, since: 'dayStart', keepFor: 400 * DAY_MILLISECONDS };

/** Returns the number of the UTC day, counted from 1970. */
export function toDay(now: number): number {
  return Math.floor(now / DAY_MILLISECONDS);
}

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
    await this.database.transaction((transaction) => table.insert(transaction, [...usages.values()], { suffix: ADD_UP }));
  }
}

/** Returns what is stored of these keys from a day on; days without requests have no entry. */
export async function readDailyUsage(runner: SqlRunner, keyIds: readonly bigint[], from: number): Promise<DailyUsage[]> {
  if (keyIds.length === 0) return [];
  return table.read(runner, table.quoted, sql`WHERE "key_id" ${isOneOf(keyIds)} AND "day_start" >= ${from}`);
}
