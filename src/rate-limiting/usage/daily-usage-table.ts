import {
  ForwardMigration,
  identifier,
  insertRows,
  isOneOf,
  raw,
  sql,
  type Dialect,
  type SqlRunner,
  type WriteTransaction,
} from '#libs/database';
import type { RetentionRule } from '#libs/observability';
import { DAY_MILLISECONDS } from '../domain/decision.js';

export const DAILY_USAGE_TABLE = 'api_key_daily_usage';

const table = identifier(DAILY_USAGE_TABLE);
const columns = ['key_id', 'day_start', 'admitted', 'refused'];
const ADD_UP = raw(
  'ON CONFLICT ("key_id", "day_start") DO UPDATE SET ' +
    ['admitted', 'refused'].map((name) => `"${name}" = "${DAILY_USAGE_TABLE}"."${name}" + excluded."${name}"`).join(', '),
);

/** How many requests of each key were admitted and refused on each UTC day. */
export class CreateDailyUsage1767227000000 extends ForwardMigration {
  protected statements({ columnTypes: { int64 } }: Dialect): string[] {
    return [
      `CREATE TABLE "${DAILY_USAGE_TABLE}" (
         "key_id" ${int64} NOT NULL,
         "day_start" ${int64} NOT NULL,
         "admitted" ${int64} NOT NULL,
         "refused" ${int64} NOT NULL,
         PRIMARY KEY ("key_id", "day_start")
       )`,
      `CREATE INDEX "${DAILY_USAGE_TABLE}_day_start" ON "${DAILY_USAGE_TABLE}" ("day_start")`,
    ];
  }
}

export const dailyUsageRetention: RetentionRule = {
  table: DAILY_USAGE_TABLE,
  key: ['key_id', 'day_start'],
  storedAt: 'day_start',
  keepFor: 400 * DAY_MILLISECONDS,
};

/** Requests of a key on a UTC day. */
export interface DailyUsage {
  readonly keyId: bigint;
  /** The start of the day, in milliseconds since 1970. */
  readonly dayStart: number;
  readonly admitted: number;
  readonly refused: number;
}

/** Adds to what is stored of these days, by all instances. */
export function addDailyUsage(transaction: WriteTransaction, usages: readonly DailyUsage[]): void {
  const rows = usages.map(({ keyId, dayStart, admitted, refused }) => [keyId, dayStart, admitted, refused]);
  insertRows(transaction, { table, columns, rows, suffix: ADD_UP });
}

/** Returns what is stored of these keys from a day on; days without requests have no entry. */
export async function readDailyUsage(runner: SqlRunner, keyIds: readonly bigint[], from: number): Promise<DailyUsage[]> {
  if (keyIds.length === 0) return [];
  const rows = await runner.query<Record<'key_id' | 'day_start' | 'admitted' | 'refused', bigint | string>>(
    sql`SELECT "key_id", "day_start", "admitted", "refused" FROM ${table} WHERE "key_id" ${isOneOf(keyIds)} AND "day_start" >= ${from}`,
  );
  return rows.map(({ key_id, day_start, admitted, refused }) => ({
    keyId: BigInt(key_id),
    dayStart: Number(day_start),
    admitted: Number(admitted),
    refused: Number(refused),
  }));
}
