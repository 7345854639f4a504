import { Injectable } from '@nestjs/common';
import { Clock, Timers } from '#libs/observability';
import {
  Database,
  type Migration,
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
import { LONGEST_WINDOW as LONGEST, SHORTEST_WINDOW as SHORTEST, WINDOWS, type WindowName } from '../../auth/index.js';
import { NEVER_BANNED, windowNumber, type Counts } from '../domain/decision.js';
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
    this.counters.merge(await loadCounters(this.database.reader));
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
    this.counters.merge(await loadCounters(this.database.reader));
  }

  private async sweep(now: number): Promise<void> {
    const present = windowNumber(LONGEST, now);
    const isNew = present !== windowNumber(LONGEST, this.sweptAt);
    this.sweptAt = now;
    this.counters.sweep(now);
    if (isNew) await this.database.transaction((transaction) => transaction.query(sql`DELETE FROM ${table} WHERE ${longest} < ${present}`));
  }
}

const countersTable = entityTable(SavedCounts);
const table = countersTable.quoted;
const longest = column(LONGEST.name);

/** What each API key has used up, so that a restart does not give it back. */
export const createRateLimitCounters: Migration = {
  name: 'CreateRateLimitCounters1767226200000',
  statements: ({ columnTypes: { int64 } }) => [
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
  ],
};

function column(member: keyof SavedCounts): SqlFragment {
  return identifier(countersTable.columnName(member));
}

const stored = (member: keyof SavedCounts) => sql`${table}.${column(member)}`;
const saved = (member: keyof SavedCounts) => sql`excluded.${column(member)}`;
const isAhead = sql`${stored(SHORTEST.name)} = ${saved(SHORTEST.name)} + 1`;
const higherIn = (window: WindowName, used: keyof SavedCounts) => sql`${column(used)} = CASE
  WHEN ${stored(window)} = ${saved(window)} AND ${stored(used)} > ${saved(used)} THEN ${stored(used)}
  WHEN ${isAhead} AND ${stored(window)} <> ${saved(window)} THEN ${stored(used)}
  ELSE ${saved(used)} END`;
const later = (window: WindowName) => sql`${column(window)} = CASE WHEN ${isAhead} THEN ${stored(window)} ELSE ${saved(window)} END`;
/**
 * Overwrites a row, but never takes shared counts back, as an instance that saves later may have counted earlier: in the same window the
 * higher count stays, and so does a row of the next shortest window. A clock set back by more than that is believed, as everywhere.
 */
const MERGE = sql`ON CONFLICT ("key_id") DO UPDATE SET ${join([
  ...WINDOWS.flatMap(({ name }) => [later(name), higherIn(name, `${name}Used`)]),
  ...(['refusalWindow', 'firstRefusalAt', 'refusals'] as const).map((member) => sql`${column(member)} = ${saved(member)}`),
])}`;

/** Returns a row as it is now. */
export function toRow([keyId, { windows, refusalWindow, firstRefusalAt, refusals }]: KeyCountsEntry): SavedCounts {
  const columns = WINDOWS.map(({ name }, index) => ({ [name]: windows[index]?.number, [`${name}Used`]: windows[index]?.used }));
  return Object.assign({ keyId, refusalWindow, firstRefusalAt, refusals }, ...columns) as SavedCounts;
}

function toCounts(row: SavedCounts): Counts {
  const { refusalWindow, firstRefusalAt, refusals } = row;
  const windows = WINDOWS.map(({ name, seconds }) => ({ seconds, number: row[name], used: row[`${name}Used`] }));
  return { windows, refusalWindow, firstRefusalAt, refusals, ban: NEVER_BANNED };
}

/** Saves rows, unless those stored are further on. */
export function saveCounters(transaction: WriteTransaction, rows: readonly SavedCounts[]): void {
  countersTable.insert(transaction, rows, { suffix: MERGE });
}

/** Loads the counts of these keys, or of all; keys without any have no entry. */
export async function loadCounters(runner: SqlRunner, keyIds?: readonly bigint[]): Promise<ReadonlyMap<bigint, Counts>> {
  if (keyIds?.length === 0) return new Map();
  const condition: SqlFragment = keyIds ? sql`WHERE "key_id" ${isOneOf(keyIds)}` : raw('');
  const rows = await countersTable.read(runner, table, condition);
  return new Map(rows.map((row) => [row.keyId, toCounts(row)]));
}

/** Returns how much of the longest window each key has used, without those that have used nothing. */
export async function loadUsed(runner: SqlRunner, now: number): Promise<ReadonlyMap<bigint, number>> {
  const used = `${LONGEST.name}Used` as const;
  const rows = await countersTable.read(runner, table, sql`WHERE ${longest} = ${windowNumber(LONGEST, now)} AND ${column(used)} > 0`);
  return new Map(rows.map((row) => [row.keyId, row[used]]));
}
