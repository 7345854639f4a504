import { Injectable } from '@nestjs/common';
import { Clock, Timers } from '#libs/observability';
import {
  Database,
  ForwardMigration,
  type Dialect,
  identifier,
  entityTable,
  isOneOf,
  join,
  raw,
  sql,
  type SqlFragment,
  type SqlRunner,
  type WriteTransaction,
} from '#libs/database';
import { PollLoop, WriteBehind } from '#libs/event-sourcing';
import { toDay, newCounts, type Counts } from '../domain/decision.js';
import { InProcessLimiterStore, type KeyCountsEntry } from './in-process-limiter.store.js';
import { LimiterStore } from './limiter.store.js';
import { SavedCounts } from './saved-counts.entity.js';

// With the time of a write, less than the second whose requests may be lost if the process is killed.
const SAVE_INTERVAL_MILLISECONDS = 500;
const SWEEP_INTERVAL_MILLISECONDS = 60_000;

/** Saves the counters of keys for a restart, for usage, and in case Redis loses them; evicts those that are over. */
@Injectable()
export class CounterPersistence extends WriteBehind<bigint, Counts> {
  private readonly upkeep: PollLoop;
  private sweptAt = 0;

  constructor(
    private readonly counters: InProcessLimiterStore,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly store: LimiterStore,
    timers: Timers,
  ) {
    super({ content: 'the counters of API keys', intervalMilliseconds: SAVE_INTERVAL_MILLISECONDS, timers });
    this.upkeep = new PollLoop(() => this.sweepAndMerge(), SAVE_INTERVAL_MILLISECONDS, timers);
    counters.onChange = (keyId, counts) => this.add(keyId, counts);
  }

  /** Restores the counters before the first request. */
  override async onApplicationBootstrap(): Promise<void> {
    this.counters.restore(await loadCounters(this.database.reader));
    this.upkeep.start();
    await super.onApplicationBootstrap();
  }

  override async onApplicationShutdown(): Promise<void> {
    await this.upkeep.end();
    await super.onApplicationShutdown();
  }

  protected async write(counts: ReadonlyMap<bigint, Counts>): Promise<void> {
    const rows = [...counts].map(toRow);
    await this.database.transaction((transaction) => saveCounters(transaction, rows));
  }

  /** While Redis is away, instances learn of each other's counts from the table. */
  private async sweepAndMerge(): Promise<void> {
    const now = this.clock.now().getTime();
    if (Math.abs(now - this.sweptAt) >= SWEEP_INTERVAL_MILLISECONDS) await this.sweep(now);
    if (this.store.counting !== 'alone') return;
    for (const [keyId, counts] of await loadCounters(this.database.reader)) this.counters.merge(keyId, counts);
  }

  private async sweep(now: number): Promise<void> {
    const isNewDay = toDay(now) !== toDay(this.sweptAt);
    this.sweptAt = now;
    this.counters.sweep(now);
    if (isNewDay) await this.database.transaction((transaction) => deleteCountersBefore(transaction, toDay(now)));
  }
}

const countersTable = entityTable(SavedCounts);
const table = countersTable.quoted;

/** What each API key has used up, so that a restart does not give it back. */
export class CreateRateLimitCounters1767226200000 extends ForwardMigration {
  protected statements({ columnTypes: { int64 } }: Dialect): string[] {
    return [
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
    ];
  }
}

const stored = (column: string) => sql`${table}.${identifier(column)}`;
const saved = (column: string) => sql`excluded.${identifier(column)}`;
const isAhead = sql`${stored('minute')} = ${saved('minute')} + 1`;
const higherIn = (window: string, used: string) => sql`${identifier(used)} = CASE
  WHEN ${stored(window)} = ${saved(window)} AND ${stored(used)} > ${saved(used)} THEN ${stored(used)}
  WHEN ${isAhead} AND ${stored(window)} <> ${saved(window)} THEN ${stored(used)}
  ELSE ${saved(used)} END`;
const later = (window: string) => sql`${identifier(window)} = CASE WHEN ${isAhead} THEN ${stored(window)} ELSE ${saved(window)} END`;
const lastSaved = (column: string) => sql`${identifier(column)} = ${saved(column)}`;
/**
 * Overwrites a row, but never takes shared counts back, as an instance that saves later may have counted earlier: in the same window the
 * higher count stays, and so does a row of the next minute. A clock set back by more than that is believed, as everywhere.
 */
const MERGE = sql`ON CONFLICT ("key_id") DO UPDATE SET ${join([
  later('minute'),
  higherIn('minute', 'minute_used'),
  later('day'),
  higherIn('day', 'day_used'),
  ...['refusal_minute', 'first_refusal_at', 'refusals'].map(lastSaved),
])}`;

/** Returns a row as it is now. */
export function toRow([keyId, counts]: KeyCountsEntry): SavedCounts {
  const { minute, minuteUsed, day, dayUsed, refusalMinute, firstRefusalAt, refusals } = counts;
  return { keyId, minute, minuteUsed, day, dayUsed, refusalMinute, firstRefusalAt, refusals };
}

/** Saves rows, unless those stored are further on. */
export function saveCounters(transaction: WriteTransaction, rows: readonly SavedCounts[]): void {
  countersTable.insert(transaction, rows, { suffix: MERGE });
}

async function deleteCountersBefore(transaction: SqlRunner, day: number): Promise<void> {
  await transaction.query(sql`DELETE FROM ${table} WHERE "day" < ${day}`);
}

/** Loads the counts of these keys, or of all; keys without any have no entry. */
export async function loadCounters(runner: SqlRunner, keyIds?: readonly bigint[]): Promise<ReadonlyMap<bigint, Counts>> {
  if (keyIds?.length === 0) return new Map();
  const condition: SqlFragment = keyIds ? sql`WHERE "key_id" ${isOneOf(keyIds)}` : raw('');
  const rows = await countersTable.read(runner, table, condition);
  return new Map(rows.map(({ keyId, ...counts }) => [keyId, { ...newCounts(), ...counts }]));
}

/** Returns how much of a day each key has used, without those that have used nothing. */
export async function loadUsedToday(runner: SqlRunner, day: number): Promise<ReadonlyMap<bigint, number>> {
  const rows = await countersTable.read(runner, table, sql`WHERE "day" = ${day} AND "day_used" > 0`);
  return new Map(rows.map(({ keyId, dayUsed }) => [keyId, dayUsed]));
}
