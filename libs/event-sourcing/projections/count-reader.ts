import { entityTable, identifier, sql, type Database, type SqlFragment } from '#libs/database';
import { invalidParameter } from '#libs/observability';
import type { EventStore } from '../event-store/event-store.js';
import type { RecordedEvent } from '../event-store/event.js';
import { groupByStream } from '../event-store/read-events.js';
import { dayOf, fromStoredValue, startOfDay, type DailyCounts } from './daily-counts.js';
import type { ReadModels } from './read-models.js';
import { projectionTableName } from './projection.js';
import type { StreamProjection } from './stream-projection.js';

const MAX_PERIODS = 400;
const DEFAULT_PERIODS = 30;
const DAYS_OF_A_WEEK = 7;
/** 1970-01-01 was a Thursday; weeks begin on Monday (ISO 8601). */
const DAYS_TO_MONDAY = 3;
const MAX_EVENTS_OF_A_DAY = 10_000;
const MAX_COUNTS = 10_000;

export type PeriodLength = 'day' | 'week' | 'month';

/** A UTC day, week or month. */
interface Period {
  /** Its first day, such as `2026-06-01`. */
  readonly date: string;
  /** In days since 1970-01-01. */
  readonly lastDay: number;
}

/** Which periods: those that hold a moment from `from` to `to`. */
interface PeriodRange {
  readonly every: PeriodLength;
  /** Default: so that there are 30 periods. */
  readonly from?: Date | undefined;
  /** Default: now. */
  readonly to?: Date | undefined;
}

/** What is asked for: numbers of rows now, at a moment, or at the ends of periods. */
export interface CountRequest extends Partial<Nullable<PeriodRange>> {
  readonly asOf?: Date | null | undefined;
}

type Nullable<Of> = { readonly [Name in keyof Of]: Of[Name] | null };

/** A number of rows; `date` is the first day of the period, absent without periods. */
export interface Count {
  readonly value: string | null;
  readonly count: number;
  readonly date?: string;
}

/** Numbers of rows by value; null: rows that have none. Omits values without rows. */
type Counts = ReadonlyMap<string | null, number>;

interface CountReaderParts<Row extends { readonly id: bigint }> {
  readonly projection: StreamProjection<Row>;
  readonly counts: DailyCounts<Row>;
  readonly database: Database;
  readonly readModels: ReadModels;
  readonly eventStore: EventStore;
}

/** Reads how many rows there were of each value, now and at earlier moments. */
export class CountReader<Row extends { readonly id: bigint }> {
  private readonly table: SqlFragment;

  constructor(private readonly parts: CountReaderParts<Row>) {
    this.table = identifier(projectionTableName(parts.projection, entityTable(parts.counts.entities[0]).name));
  }

  /**
   * Counts as it is asked.
   * @param values those that are listed also if there is nothing to count; others follow, ascending as numbers
   * @throws ApplicationError `invalid_parameter` for members that do not go together, and for more than 10,000 counts
   */
  async count(
    by: string,
    { asOf, every, from, to }: CountRequest,
    { now, values = [] }: { readonly now: Date; readonly values?: readonly (string | null)[] },
  ): Promise<Count[]> {
    const list = (counts: Counts, period: { readonly date?: string } = {}): Count[] => {
      const others = [...counts.keys()].filter((value) => !values.includes(value)).sort((one, other) => Number(one) - Number(other));
      return [...values, ...others].map((value) => ({ value, count: counts.get(value) ?? 0, ...period }));
    };
    if (!every) {
      if (from || to) throw invalidParameter(from ? 'from' : 'to', 'exclusive', 'from and to need every');
      return list(asOf ? await this.at(asOf, by) : await this.now(by));
    }
    if (asOf) throw invalidParameter('asOf', 'exclusive', 'asOf cannot be given together with every');
    const periods = listPeriods({ every, from: from ?? undefined, to: to ?? undefined }, now);
    const counts = (await this.atEndsOf(periods, by)).flatMap(({ date, counts: ofPeriod }) => list(ofPeriod, { date }));
    if (counts.length <= MAX_COUNTS) return counts;
    const message = `These are ${counts.length} counts, of which at most ${MAX_COUNTS} are given; ask for fewer periods by from, to or every`;
    throw invalidParameter('every', 'distance', message);
  }

  /** Counts as of the last acknowledged change. */
  async now(by: string): Promise<Counts> {
    return this.atEndOf(Number.MAX_SAFE_INTEGER, by);
  }

  /**
   * Counts at a moment, that millisecond included.
   * @throws ApplicationError `invalid_parameter` if more than 10,000 events of the moment's day were recorded before it
   */
  private async at(moment: Date, by: string): Promise<Counts> {
    const day = dayOf(moment);
    if (moment.getTime() === startOfDay(day + 1).getTime() - 1) return this.atEndOf(day, by);
    const counts = new Map(await this.atEndOf(day - 1, by));
    const change = (stored: string | undefined, difference: number) => {
      if (stored !== undefined) counts.set(fromStoredValue(stored), (counts.get(fromStoredValue(stored)) ?? 0) + difference);
    };
    for (const { before, after } of await this.changedRows(startOfDay(day), moment)) {
      change(this.parts.counts.storedValue(by, before), -1);
      change(this.parts.counts.storedValue(by, after), 1);
    }
    return withoutZeros(counts);
  }

  /** Counts at the ends of periods, which ascend. */
  private async atEndsOf(periods: readonly Period[], by: string): Promise<readonly (Period & { readonly counts: Counts })[]> {
    const [first, last] = [periods.at(0)?.lastDay ?? 0, periods.at(-1)?.lastDay ?? 0];
    const counts = new Map(await this.atEndOf(first, by));
    const changes = await this.parts.database.reader.query<{ day: bigint | string; value: string; change: bigint | string }>(
      sql`SELECT "day", "value", "change" FROM ${this.table}
          WHERE "counted_by" = ${by} AND "day" > ${first} AND "day" <= ${last} ORDER BY "day"`,
    );
    let next = 0;
    return periods.map((period) => {
      for (let change = changes[next]; change && Number(change.day) <= period.lastDay; change = changes[++next]) {
        const value = fromStoredValue(change.value);
        counts.set(value, (counts.get(value) ?? 0) + Number(change.change));
      }
      return { ...period, counts: withoutZeros(counts) };
    });
  }

  private async atEndOf(day: number, by: string): Promise<Counts> {
    await this.parts.readModels.current(this.parts.projection);
    const rows = await this.parts.database.reader.query<{ value: string; total: bigint | string }>(
      sql`SELECT "value", sum("change") AS "total" FROM ${this.table} WHERE "counted_by" = ${by} AND "day" <= ${day}
          GROUP BY "value" HAVING sum("change") <> 0`,
    );
    return new Map(rows.map(({ value, total }) => [fromStoredValue(value), Number(total)]));
  }

  /** Returns the rows that changed from one moment up to another, as they were just before the first one and at the second one. */
  private async changedRows(from: Date, until: Date): Promise<{ before: Row | undefined; after: Row | undefined }[]> {
    const { eventStore, projection } = this.parts;
    const start = await eventStore.positionBefore(from);
    const end = await eventStore.positionAt(until);
    const events = await eventStore.readAll({ types: projection.eventTypes, after: start, limit: MAX_EVENTS_OF_A_DAY + 1 });
    const ofDay = events.filter(({ position }) => position <= end);
    if (ofDay.length > MAX_EVENTS_OF_A_DAY) {
      const message = `On the day of asOf more than ${MAX_EVENTS_OF_A_DAY.toLocaleString('en')} changes were recorded before it; give the end of a UTC day, such as ${new Date(from.getTime() - 1).toISOString()}`;
      throw invalidParameter('asOf', 'distance', message);
    }
    const histories = groupByStream(await eventStore.readAll({ streams: [...new Set(ofDay.map(({ stream }) => stream))] }));
    const upTo = (history: readonly RecordedEvent[], last: bigint) => projection.fold(history.filter(({ position }) => position <= last));
    return [...histories.values()].map((history) => ({ before: upTo(history, start), after: upTo(history, end) }));
  }
}

function withoutZeros(counts: Counts): Counts {
  return new Map([...counts].filter(([, count]) => count !== 0));
}

/** Returns the first day of the period that holds a day, `further` periods later. */
function firstDay(day: number, every: PeriodLength, further = 0): number {
  if (every === 'day') return day + further;
  if (every === 'week') return day - ((day + DAYS_TO_MONDAY) % DAYS_OF_A_WEEK) + further * DAYS_OF_A_WEEK;
  const date = startOfDay(day);
  return dayOf(new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + further, 1)));
}

/**
 * Returns periods, which ascend.
 * @throws ApplicationError `invalid_parameter` if `from` is after `to`, `to` is in the future, or there are more than 400 periods
 */
function listPeriods({ every, from, to }: PeriodRange, now: Date): Period[] {
  if (to && to > now) {
    throw invalidParameter('to', 'future', `to must not be in the future; the clock of the service says ${now.toISOString()}`);
  }
  const last = dayOf(to ?? now);
  const first = from ? dayOf(from) : firstDay(last, every, 1 - DEFAULT_PERIODS);
  if (first > last) throw invalidParameter('from', 'order', 'from must not be after to');
  const periods: Period[] = [];
  for (let day = firstDay(first, every); day <= last; day = firstDay(day, every, 1)) {
    periods.push({ date: startOfDay(day).toISOString().slice(0, 10), lastDay: firstDay(day, every, 1) - 1 });
    if (periods.length > MAX_PERIODS) {
      const message = `from and to must be at most ${MAX_PERIODS} periods apart; give a later from or a longer every`;
      throw invalidParameter('from', 'distance', message);
    }
  }
  return periods;
}
