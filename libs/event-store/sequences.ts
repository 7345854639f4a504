import { insertRows, join, raw, sql, type SqlFragment, type SqlRunner } from '#libs/database';
import { eventsTable } from './event-row.js';
import { HISTORY, type LaterHistory } from './later-histories.js';

const POSITION = 'position';
const NEW_HISTORY = 'new-history';
// So far from those of a lost history that nobody takes one for the other, were the clock wrong.
const LEAST_JUMP = 1_000_000_000n;
const POSITIONS_A_MILLISECOND = 1_000n;

/** An event by which the history of a log is known. */
export interface LogPoint {
  readonly position: bigint;
  readonly eventId: string;
}

/** What is known of a log from before. */
export interface SeenLog {
  /** The newest event that it is known to have held. */
  readonly newest?: LogPoint | undefined;
  /** The highest position that it is known to have given out, also in a history that was lost. */
  readonly highest: bigint;
}

/** The statement that has the next append begin a new history of the log: for a copy, of which the original goes on. */
export const MARK_NEW_HISTORY = `INSERT INTO "sequences" ("name", "last_value") VALUES ('${NEW_HISTORY}', 1)
  ON CONFLICT ("name") DO UPDATE SET "last_value" = 1`;

/**
 * The position of the newest event of these types as one SQL expression, 0 where there is none. It is kept with every append, whichever
 * build makes it, so its cost does not grow with the log.
 */
export function newestPositionOf(eventTypes: readonly string[]): SqlFragment {
  return sql`(SELECT coalesce(max("last_value"), 0) FROM "sequences" WHERE "name" IN (${join(eventTypes.map(nameOfType))}))`;
}

/** The newest position that was given out as one SQL expression, 0 for an empty log. */
export const lastPositionGivenOut = sql`(SELECT coalesce(max("last_value"), 0) FROM "sequences" WHERE "name" = ${POSITION})`;

function nameOfType(type: string): string {
  return `type:${type}`;
}

function nameOfCategory(category: string): string {
  return `stream:${category}`;
}

// Names of what is read beside the counters, which have other ones.
const NEWEST_TIME = 'recorded-at';
const IDENTITY = 'identity:';
const KNOWN_EVENT = 'known-event:';

const NUMBERED_STREAM = /^(.+)-([1-9]\d{0,17})$/;

/**
 * Counters that are read and written under the write lock, so their order is the order of commits and nothing is given out twice: not even
 * after the log has gone back, since its next event then begins a new history behind all positions of the lost one. See
 * docs/adr/0039-positions-never-given-out-twice.md.
 */
export class Sequences {
  private readonly changed = new Set<string>();
  private isHistoryChecked = false;
  private begun: LaterHistory | undefined;

  private constructor(
    private readonly values: Map<string, bigint>,
    private readonly seen: SeenLog,
  ) {}

  static async load(runner: SqlRunner, seen: SeenLog = { highest: 0n }): Promise<Sequences> {
    // What is beside the counters is the log's own, with the same statement: so it is right whoever wrote there, and costs no round trip.
    const rows = await runner.query<{ name: string; last_value: bigint | string }>(
      sql`SELECT "name", "last_value" FROM "sequences" UNION ALL SELECT * FROM (
            SELECT ${raw(`'${NEWEST_TIME}'`)}, "recorded_at" FROM ${eventsTable} ORDER BY "position" DESC LIMIT 1
          ) AS "newest"
          UNION ALL SELECT ${raw(`'${IDENTITY}'`)} || ${runner.dialect.logIdentity}, 0
          UNION ALL SELECT ${raw(`'${KNOWN_EVENT}'`)} || "event_id", 0 FROM ${eventsTable} WHERE "position" = ${seen.newest?.position ?? 0n}`,
    );
    return new Sequences(new Map(rows.map(({ name, last_value }) => [name, BigInt(last_value)])), seen);
  }

  /** Whether the log still holds the newest event that it is known to have held. */
  get holdsNewest(): boolean {
    const { newest } = this.seen;
    return newest === undefined || this.values.has(`${KNOWN_EVENT}${newest.eventId}`);
  }

  /** The history of the log that these positions began, undefined where they went on with the one before. */
  get begunHistory(): LaterHistory | undefined {
    return this.begun;
  }

  /** When the newest event was recorded; undefined for an empty log. */
  get newestTime(): Date | undefined {
    const milliseconds = this.values.get(NEWEST_TIME);
    return milliseconds === undefined ? undefined : new Date(Number(milliseconds));
  }

  /** The newest position given out, 0 for an empty log. */
  static async lastPosition(runner: SqlRunner): Promise<bigint> {
    const rows = await runner.query<{ last_value: bigint | string }>(sql`SELECT ${lastPositionGivenOut} AS "last_value"`);
    return BigInt(rows[0]?.last_value ?? 0);
  }

  /** @param at when the event is recorded */
  nextPosition(at: Date): bigint {
    if (!this.isHistoryChecked) this.checkHistory(at);
    return this.next(POSITION);
  }

  /** The next id of a category of streams, from 1. */
  nextId(category: string): bigint {
    return this.next(nameOfCategory(category));
  }

  /** Notes what another log gave out for an event: its position, and the id that stands in the name of its stream. */
  noteCopied({ position, type, stream }: { readonly position: bigint; readonly type: string; readonly stream: string }): void {
    this.set(POSITION, position);
    this.noteNewest(type, position);
    const [, category, id] = NUMBERED_STREAM.exec(stream) ?? [];
    if (category === undefined || id === undefined) return;
    const name = nameOfCategory(category);
    if (BigInt(id) > (this.values.get(name) ?? 0n)) this.set(name, BigInt(id));
  }

  /** Notes that this event is the newest of its type. */
  noteNewest(type: string, position: bigint): void {
    this.set(nameOfType(type), position);
  }

  async save(runner: SqlRunner): Promise<void> {
    if (this.changed.size === 0) return;
    await insertRows(runner, {
      table: raw('"sequences"'),
      columns: ['name', 'last_value'],
      rows: [...this.changed].map((name) => [name, this.values.get(name) ?? 0n]),
      suffix: raw('ON CONFLICT ("name") DO UPDATE SET "last_value" = excluded."last_value"'),
    });
  }

  /** Begins a new history where this is not the log that its last writer, or this process, has known. */
  private checkHistory(at: Date): void {
    this.isHistoryChecked = true;
    const names = [...this.values.keys()];
    const name = `${HISTORY}${names.find((each) => each.startsWith(IDENTITY))?.slice(IDENTITY.length) ?? ''}`;
    const last = this.values.get(POSITION) ?? 0n;
    const isMarked = this.values.get(NEW_HISTORY) === 1n;
    if (!isMarked && last >= this.seen.highest) {
      if (this.values.has(name)) return;
      if (!names.some((each) => each.startsWith(HISTORY))) {
        this.set(name, 1n);
        return;
      }
    }
    const first = firstOfNewHistory([last, this.seen.highest], at);
    this.set(this.values.has(name) ? `${name}/${first}` : name, first);
    if (isMarked) this.set(NEW_HISTORY, 0n);
    this.set(POSITION, first - 1n);
    this.begun = { from: first, agreesUpTo: last };
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

/** By the time, so that a log which is restored twice from one backup never gives out the same positions. Stays below 2^53 until 2255. */
function firstOfNewHistory(given: readonly bigint[], at: Date): bigint {
  const candidates = [...given.map((position) => position + LEAST_JUMP), BigInt(at.getTime()) * POSITIONS_A_MILLISECOND];
  return candidates.reduce((largest, each) => (each > largest ? each : largest));
}
