import { identifier, insertRows, join, sql, type SqlRunner } from '#libs/database';
import { newKeyCounts, type KeyCounts } from '../domain/decision.js';
import type { KeyCountsEntry } from '../store/in-process-limiter.store.js';

const table = identifier('rate_limit_counters');
const columns = ['key_id', 'minute', 'minute_used', 'day', 'day_used', 'refusal_minute', 'first_refusal_at', 'refusals'] as const;
const OVERWRITE = sql`ON CONFLICT ("key_id") DO UPDATE SET ${join(
  columns.slice(1).map((column) => sql`${identifier(column)} = excluded.${identifier(column)}`),
)}`;

type CounterRow = Readonly<Record<(typeof columns)[number], bigint | string>>;
type CounterValues = readonly (bigint | number)[];

/** The values of one row as they are now, however the counts change later. */
export function toRow([keyId, { conduct, ...counts }]: KeyCountsEntry): CounterValues {
  const { refusalMinute, firstRefusalAt, refusals } = conduct;
  return [keyId, counts.minute, counts.minuteUsed, counts.day, counts.dayUsed, refusalMinute, firstRefusalAt, refusals];
}

/** Stores rows over those the same keys had. */
export async function saveCounters(transaction: SqlRunner, rows: readonly CounterValues[]): Promise<void> {
  await insertRows(transaction, { table, columns, rows, suffix: OVERWRITE });
}

/** Removes what earlier days left. */
export async function deleteCountersBefore(transaction: SqlRunner, day: number): Promise<void> {
  await transaction.query(sql`DELETE FROM ${table} WHERE "day" < ${day}`);
}

/** What is stored of all keys. */
export async function loadCounters(runner: SqlRunner): Promise<KeyCountsEntry[]> {
  const rows = await runner.query<CounterRow>(sql`SELECT * FROM ${table}`);
  return rows.map((row) => [BigInt(row.key_id), toCounts(row)]);
}

/** What is stored of these keys; those of which nothing is have no entry. */
export async function loadCountersOf(runner: SqlRunner, keyIds: readonly bigint[]): Promise<ReadonlyMap<bigint, KeyCounts>> {
  if (keyIds.length === 0) return new Map();
  const rows = await runner.query<CounterRow>(sql`SELECT * FROM ${table} WHERE "key_id" IN (${join(keyIds)})`);
  return new Map(rows.map((row) => [BigInt(row.key_id), toCounts(row)]));
}

function toCounts(row: CounterRow): KeyCounts {
  const counts = newKeyCounts();
  counts.minute = Number(row.minute);
  counts.minuteUsed = Number(row.minute_used);
  counts.day = Number(row.day);
  counts.dayUsed = Number(row.day_used);
  counts.conduct.refusalMinute = Number(row.refusal_minute);
  counts.conduct.firstRefusalAt = Number(row.first_refusal_at);
  counts.conduct.refusals = Number(row.refusals);
  return counts;
}
