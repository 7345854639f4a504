import { Injectable, Logger } from '@nestjs/common';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Clock } from '#libs/observability';
import {
  columnTypes,
  entityTable,
  join,
  raw,
  sql,
  type SqlFragment,
  type SqlRunner,
  type StoredValue,
  type WriteTransaction,
} from '#libs/database';
import { eventsTable } from './read-events.js';

/** A counter of the log. */
@Entity('sequences')
class Sequence {
  @PrimaryColumn(columnTypes.text) readonly name!: string;
  @Column(columnTypes.int64) readonly lastValue!: bigint;
}

const table = entityTable(Sequence);
const POSITION = 'position';
const NEW_HISTORY = 'new-history';
const HISTORY = 'history:';
// Far enough from the positions of a lost history, even if the clock is wrong.
const MIN_JUMP = 1_000_000_000n;
const POSITIONS_A_MILLISECOND = 1_000n;

/** The positions after one and up to another. */
export interface PositionRange {
  readonly after: bigint;
  readonly until: bigint;
}

/** A history of the log that began after a loss of events. */
export interface LaterHistory {
  readonly from: bigint;
  /** The histories agree up to here; 0: nothing of the one before is left. */
  readonly agreesUpTo: bigint;
}

/** A statement that makes the next append begin a new history of the log: for a copy of a log that continues elsewhere. */
export const MARK_NEW_HISTORY = `INSERT INTO "sequences" ("name", "last_value") VALUES ('${NEW_HISTORY}', 1)
  ON CONFLICT ("name") DO UPDATE SET "last_value" = 1`;

/**
 * Returns an SQL expression of the position of the newest event of these types, 0 if there is none: one search in an index for each. By a range
 * of one type, since PostgreSQL may look for an equal one from the end of the log, however far that is.
 */
export function newestPositionSql(eventTypes: readonly string[]): SqlFragment {
  const types = join(
    eventTypes.map((type) => sql`SELECT ${type} AS "type"`),
    ' UNION ALL ',
  );
  const newest = sql`SELECT "position" FROM ${eventsTable}
    WHERE ${eventsTable}."type" >= "types"."type" AND ${eventsTable}."type" <= "types"."type"
    ORDER BY ${eventsTable}."type" DESC, "position" DESC LIMIT 1`;
  return sql`(SELECT coalesce(max((${newest})), 0) FROM (${types}) AS "types")`;
}

/** Reads an SQL expression of a position. */
export async function readPosition(runner: SqlRunner, position: SqlFragment): Promise<bigint> {
  const [found] = await runner.query<{ position: bigint | string }>(sql`SELECT ${position} AS "position"`);
  return BigInt(found?.position ?? 0);
}

/** An SQL expression of the position of the newest event, 0 for an empty log. */
export const newestPosition = sql`(SELECT coalesce(max("position"), 0) FROM ${eventsTable})`;

/** An SQL expression of the position that was counted last: that of the newest event, unless the log was damaged. */
export const countedPosition = sql`(SELECT coalesce(max("last_value"), 0) FROM ${table.quoted} WHERE "name" = ${POSITION})`;

/** Returns the histories that began after the first one, oldest first. */
export async function readLaterHistories(runner: SqlRunner): Promise<LaterHistory[]> {
  const rows = await runner.query<{ from: bigint | string; agrees_up_to: bigint | string }>(
    sql`SELECT "last_value" AS "from", (
          SELECT coalesce(max("position"), 0) FROM ${eventsTable} WHERE "position" < "last_value"
        ) AS "agrees_up_to"
        FROM ${table.quoted} WHERE "name" LIKE ${`${HISTORY}%`} AND "last_value" > 1 ORDER BY "last_value"`,
  );
  return rows.map(({ from, agrees_up_to }) => ({ from: BigInt(from), agreesUpTo: BigInt(agrees_up_to) }));
}

/** Counts the positions after one and up to another, without the gaps between two histories. */
export async function countPositions(runner: SqlRunner, { after, until }: PositionRange): Promise<bigint> {
  if (until <= after) return 0n;
  const begun = (await readLaterHistories(runner)).filter(({ from }) => after < from && from <= until);
  return begun.reduce((count, { from, agreesUpTo }) => count - (from - 1n - (agreesUpTo > after ? agreesUpTo : after)), until - after);
}

// Names of rows that are read with the counters.
const NEWEST_TIME = 'recorded-at';
const IDENTITY = 'identity:';

/**
 * Counters that are read and written under the write lock, so their order is the order of commits and nothing is given out twice. After
 * the log has gone back, its next event begins a new history after all positions of the lost one. See
 * docs/adr/0039-positions-never-given-out-twice.md.
 *
 * The position and the newest position of each type are read from the log, of whose rows PostgreSQL keeps no earlier versions. They are counted
 * too, for instances of an earlier version beside this one, which read them in the table.
 */
export class Sequences {
  private readonly changed = new Set<string>();
  /** Whether these positions began a new history of the log. */
  hasBegunHistory = false;
  private isHistoryChecked = false;

  private constructor(
    private readonly values: Map<string, bigint>,
    private readonly highest: bigint,
  ) {}

  /**
   * @param categories those of which an id is given out or noted
   * @param highest the highest position that this process knows to have been given out, also in a history that was lost
   */
  static async load(runner: SqlRunner, categories: Iterable<string>, highest = 0n): Promise<Sequences> {
    const names = [NEW_HISTORY, ...new Set([...categories].map((category) => `stream:${category}`))];
    // One statement also reads the end of the log itself, which is right whichever process wrote it. It searches rows by their names: of those
    // that each commit changes, PostgreSQL may keep many versions.
    const rows = await runner.query<{ name: string; last_value: StoredValue }>(
      sql`WITH "this" AS (SELECT ${runner.dialect.logIdentity} AS "identity")
          SELECT ${table.selected} FROM ${table.quoted} WHERE "name" IN (${join(names)})
          UNION ALL SELECT ${table.selected} FROM ${table.quoted} WHERE "name" = (SELECT ${raw(`'${HISTORY}'`)} || "identity" FROM "this")
          UNION ALL SELECT ${raw(`'${IDENTITY}'`)} || "identity", 0 FROM "this"
          UNION ALL SELECT ${raw(`'${POSITION}'`)}, ${newestPosition}
          UNION ALL SELECT * FROM (
            SELECT ${raw(`'${NEWEST_TIME}'`)}, "recorded_at" FROM ${eventsTable} ORDER BY "position" DESC LIMIT 1
          ) AS "newest"`,
    );
    const hasHistory = rows.some(({ name }) => name.startsWith(HISTORY));
    const histories = hasHistory ? [] : await table.read(runner, table.quoted, sql`WHERE "name" LIKE ${`${HISTORY}%`}`);
    const counters = [...rows.map((stored) => table.fromStored(stored)), ...histories];
    return new Sequences(new Map(counters.map(({ name, lastValue }) => [name, lastValue])), highest);
  }

  /** When the newest event was recorded; undefined for an empty log. */
  get newestTime(): Date | undefined {
    const milliseconds = this.values.get(NEWEST_TIME);
    return milliseconds === undefined ? undefined : new Date(Number(milliseconds));
  }

  /** @param at when the event is recorded */
  nextPosition(at: Date): bigint {
    if (!this.isHistoryChecked) this.checkHistory(at);
    return this.next(POSITION);
  }

  /** The next id of a category of streams, from 1. */
  nextId(category: string): bigint {
    return this.next(`stream:${category}`);
  }

  /** Notes that this event is the newest of its type. */
  noteNewest(type: string, position: bigint): void {
    this.set(`type:${type}`, position);
  }

  save(transaction: WriteTransaction): void {
    const rows = [...this.changed].map((name) => ({ name, lastValue: this.values.get(name) ?? 0n }));
    table.insert(transaction, rows, { suffix: raw('ON CONFLICT ("name") DO UPDATE SET "last_value" = excluded."last_value"') });
  }

  /** Begins a new history if this is not the log that its last writer, or this process, has known. */
  private checkHistory(at: Date): void {
    this.isHistoryChecked = true;
    const names = [...this.values.keys()];
    const name = `${HISTORY}${names.find((each) => each.startsWith(IDENTITY))?.slice(IDENTITY.length) ?? ''}`;
    const last = this.values.get(POSITION) ?? 0n;
    const isMarked = this.values.get(NEW_HISTORY) === 1n;
    if (!isMarked && last >= this.highest) {
      if (this.values.has(name)) return;
      if (!names.some((each) => each.startsWith(HISTORY))) {
        this.set(name, 1n);
        return;
      }
    }
    const first = firstOfNewHistory([last, this.highest], at);
    this.set(this.values.has(name) ? `${name}/${first}` : name, first);
    if (isMarked) this.set(NEW_HISTORY, 0n);
    this.set(POSITION, first - 1n);
    this.hasBegunHistory = true;
  }

  private next(name: string): bigint {
    const value = (this.values.get(name) ?? 0n) + 1n;
    this.set(name, value);
    return value;
  }

  private set(name: string, value: bigint): void {
    this.values.set(name, value);
    this.changed.add(name);
  }
}

/** Follows the time, so that a log restored twice from one backup never gives out the same positions. Stays below 2^53 until 2255. */
function firstOfNewHistory(given: readonly bigint[], at: Date): bigint {
  const candidates = [...given.map((position) => position + MIN_JUMP), BigInt(at.getTime()) * POSITIONS_A_MILLISECOND];
  return candidates.reduce((largest, each) => (each > largest ? each : largest));
}

// Clocks that are kept by NTP differ by less.
const TOLERATED_MILLISECONDS = 1_000;

/** Gives the times of events. Along the log they never go back, whatever the clocks of the machines do. */
@Injectable()
export class RecordingTimes {
  private readonly logger = new Logger('EventStore');
  private isBehind = false;

  constructor(private readonly clock: Clock) {}

  now(): Date {
    return this.clock.now();
  }

  /**
   * Returns the time of events that are recorded now. Warns if the newest event is far ahead of the clock, once until the clock has
   * passed it.
   * @param newest the time of the newest event, undefined for an empty log
   */
  following(newest: Date | undefined, now: Date): Date {
    if (newest === undefined || newest <= now) {
      this.isBehind = false;
      return now;
    }
    if (!this.isBehind && newest.getTime() - now.getTime() > TOLERATED_MILLISECONDS) {
      this.isBehind = true;
      this.logger.warn(
        `The newest event is of ${newest.toISOString()}, but the clock says ${now.toISOString()}: until it has passed that, ` +
          `all events are recorded with that time. Set the clocks of all machines right.`,
      );
    }
    return newest;
  }
}
