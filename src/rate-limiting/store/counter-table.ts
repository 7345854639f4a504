import type { QueryRunner } from 'typeorm';
import {
  getDialect,
  ForwardMigration,
  identifier,
  insertRows,
  isOneOf,
  join,
  raw,
  sql,
  type SqlFragment,
  type SqlRunner,
} from '#libs/database';
import { newCounts, type Counts } from '../domain/decision.js';
import type { KeyCountsEntry } from './in-process-limiter.store.js';

const table = identifier('rate_limit_counters');
const columns = ['key_id', 'minute', 'minute_used', 'day', 'day_used', 'refusal_minute', 'first_refusal_at', 'refusals'] as const;

/** What each API key has used up, so that a restart does not give it back. */
export class CreateRateLimitCounters1767226200000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64 } = getDialect(queryRunner).columnTypes;
    await queryRunner.query(
      `CREATE TABLE "rate_limit_counters" (
         "key_id" ${int64} NOT NULL PRIMARY KEY,
         "minute" ${int64} NOT NULL,
         "minute_used" ${int64} NOT NULL,
         "day" ${int64} NOT NULL,
         "day_used" ${int64} NOT NULL,
         "refusal_minute" ${int64} NOT NULL,
         "first_refusal_at" ${int64} NOT NULL,
         "refusals" ${int64} NOT NULL
       )`,
    );
  }
}

/**
 * Overwrites a row, but never takes shared counts back, as an instance that saves later may have counted earlier: in the same window the
 * higher count stays, and so does a row of the next minute. A clock set back by more than that is believed, as everywhere.
 */
const stored = (column: string) => sql`${table}.${identifier(column)}`;
const saved = (column: string) => sql`excluded.${identifier(column)}`;
const isAhead = sql`${stored('minute')} = ${saved('minute')} + 1`;
const higherIn = (window: string, used: string) => sql`${identifier(used)} = CASE
  WHEN ${stored(window)} = ${saved(window)} AND ${stored(used)} > ${saved(used)} THEN ${stored(used)}
  WHEN ${isAhead} AND ${stored(window)} <> ${saved(window)} THEN ${stored(used)}
  ELSE ${saved(used)} END`;
const later = (window: string) => sql`${identifier(window)} = CASE WHEN ${isAhead} THEN ${stored(window)} ELSE ${saved(window)} END`;
const lastSaved = (column: string) => sql`${identifier(column)} = ${saved(column)}`;
const MERGE = sql`ON CONFLICT ("key_id") DO UPDATE SET ${join([
  later('minute'),
  higherIn('minute', 'minute_used'),
  later('day'),
  higherIn('day', 'day_used'),
  ...['refusal_minute', 'first_refusal_at', 'refusals'].map(lastSaved),
])}`;

type CounterRow = Readonly<Record<(typeof columns)[number], bigint | string>>;
type CounterValues = readonly (bigint | number)[];

/** Returns the values of a row as they are now. */
export function toRow([keyId, counts]: KeyCountsEntry): CounterValues {
  const { minute, minuteUsed, day, dayUsed, refusalMinute, firstRefusalAt, refusals } = counts;
  return [keyId, minute, minuteUsed, day, dayUsed, refusalMinute, firstRefusalAt, refusals];
}

/** Saves rows, unless those stored are further on. */
export async function saveCounters(transaction: SqlRunner, rows: readonly CounterValues[]): Promise<void> {
  await insertRows(transaction, { table, columns, rows, suffix: MERGE });
}

export async function deleteCountersBefore(transaction: SqlRunner, day: number): Promise<void> {
  await transaction.query(sql`DELETE FROM ${table} WHERE "day" < ${day}`);
}

/** Loads the counts of these keys, or of all; keys without any have no entry. */
export async function loadCounters(runner: SqlRunner, keyIds?: readonly bigint[]): Promise<ReadonlyMap<bigint, Counts>> {
  if (keyIds?.length === 0) return new Map();
  const condition: SqlFragment = keyIds ? sql`WHERE "key_id" ${isOneOf(keyIds)}` : raw('');
  const rows = await runner.query<CounterRow>(sql`SELECT * FROM ${table} ${condition}`);
  return new Map(rows.map((row) => [BigInt(row.key_id), toCounts(row)]));
}

function toCounts(row: CounterRow): Counts {
  return {
    ...newCounts(),
    minute: Number(row.minute),
    minuteUsed: Number(row.minute_used),
    day: Number(row.day),
    dayUsed: Number(row.day_used),
    refusalMinute: Number(row.refusal_minute),
    firstRefusalAt: Number(row.first_refusal_at),
    refusals: Number(row.refusals),
  };
}
