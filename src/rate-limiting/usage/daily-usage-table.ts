import {
  entityTable,
  ForwardMigration,
  isOneOf,
  raw,
  sql,
  type Dialect,
  type RetentionRule,
  type SqlRunner,
  type WriteTransaction,
} from '#libs/database';
import { DailyUsage } from './daily-usage.entity.js';

export const DAY_MILLISECONDS = 86_400_000;

const table = entityTable(DailyUsage);
const ADD_UP = raw(
  'ON CONFLICT ("key_id", "day_start") DO UPDATE SET ' +
    ['admitted', 'refused'].map((name) => `"${name}" = "${table.name}"."${name}" + excluded."${name}"`).join(', '),
);

/** How many requests of each key were admitted and refused on each UTC day. */
export class CreateDailyUsage1767227000000 extends ForwardMigration {
  protected statements({ columnTypes: { int64 } }: Dialect): string[] {
    return [
      `CREATE TABLE "api_key_daily_usage" (
         "key_id" ${int64} NOT NULL,
         "day_start" ${int64} NOT NULL,
         "admitted" ${int64} NOT NULL,
         "refused" ${int64} NOT NULL,
         PRIMARY KEY ("key_id", "day_start")
       )`,
      `CREATE INDEX "api_key_daily_usage_day_start" ON "api_key_daily_usage" ("day_start")`,
    ];
  }
}

export const dailyUsageRetention: RetentionRule = { entity: DailyUsage, since: 'dayStart', keepFor: 400 * DAY_MILLISECONDS };

/** Returns the number of the UTC day, counted from 1970. */
export function toDay(now: number): number {
  return Math.floor(now / DAY_MILLISECONDS);
}

/** Adds to what is stored of these days, by all instances. */
export function addDailyUsage(transaction: WriteTransaction, usages: readonly DailyUsage[]): void {
  table.insert(transaction, usages, { suffix: ADD_UP });
}

/** Returns what is stored of these keys from a day on; days without requests have no entry. */
export async function readDailyUsage(runner: SqlRunner, keyIds: readonly bigint[], from: number): Promise<DailyUsage[]> {
  if (keyIds.length === 0) return [];
  return table.read(runner, table.quoted, sql`WHERE "key_id" ${isOneOf(keyIds)} AND "day_start" >= ${from}`);
}
