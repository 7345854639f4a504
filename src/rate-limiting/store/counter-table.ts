import { identifier, insertRows, isOneOf, join, sql, type SqlRunner } from '#libs/database';
import { newKeyCounts, type KeyCounts } from '../domain/decision.js';
import type { KeyCountsEntry } from './in-process-limiter.store.js';

const table = identifier('rate_limit_counters');
const columns = ['key_id', 'minute', 'minute_used', 'day', 'day_used', 'refusal_minute', 'first_refusal_at', 'refusals'] as const;

/**
 * A row is written over, but what several instances count together never goes back: an instance that saves a moment later
 * than another may have heard of a key a moment earlier. So in the same window the higher count stays, and a row of the next
 * minute stays as it is. A clock set back by more than that is believed, as everywhere.
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

/** The values of one row as they are now, however the counts change later. */
export function toRow([keyId, { conduct, ...counts }]: KeyCountsEntry): CounterValues {
  const { refusalMinute, firstRefusalAt, refusals } = conduct;
  return [keyId, counts.minute, counts.minuteUsed, counts.day, counts.dayUsed, refusalMinute, firstRefusalAt, refusals];
}

/** Stores rows over those the same keys had, as far as these are not further on. */
export async function saveCounters(transaction: SqlRunner, rows: readonly CounterValues[]): Promise<void> {
  await insertRows(transaction, { table, columns, rows, suffix: MERGE });
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
  const rows = await runner.query<CounterRow>(sql`SELECT * FROM ${table} WHERE "key_id" ${isOneOf(keyIds)}`);
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
