import { insertRows, join, raw, sql, type SqlFragment, type SqlRunner } from '#libs/database';
import { eventsTable } from './event-row.js';

const POSITION = 'position';

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

/** The name of the newest event's time among the counters, whose own are `position` or have a colon. */
const NEWEST_TIME = 'recorded-at';

const NUMBERED_STREAM = /^(.+)-([1-9]\d{0,17})$/;

/** Counters that are read and written under the write lock, so their order is the order of commits and nothing is given out twice. */
export class Sequences {
  private readonly changed = new Set<string>();

  private constructor(private readonly values: Map<string, bigint>) {}

  static async load(runner: SqlRunner): Promise<Sequences> {
    // The newest time is the log's own, with the same statement: so it is right whoever wrote there, and costs no round trip.
    const rows = await runner.query<{ name: string; last_value: bigint | string }>(
      sql`SELECT "name", "last_value" FROM "sequences" UNION ALL SELECT * FROM (
            SELECT ${raw(`'${NEWEST_TIME}'`)}, "recorded_at" FROM ${eventsTable} ORDER BY "position" DESC LIMIT 1
          ) AS "newest"`,
    );
    return new Sequences(new Map(rows.map(({ name, last_value }) => [name, BigInt(last_value)])));
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

  nextPosition(): bigint {
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
