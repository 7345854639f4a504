import { Column, Index, PrimaryColumn } from 'typeorm';
import { columnTypes, entityTable, type EntityClass, sql } from '#libs/database';
import type { ProjectionTarget } from './projection.js';
import type { RowChanges } from './stream-projection.js';

const DAY_MILLISECONDS = 86_400_000;

/** The value of a row for each thing that rows are counted by: null if it has none, undefined if the row is not counted. */
type CountedBy<Row> = Readonly<Record<string, (row: Row) => string | bigint | null | undefined>>;

/** Returns the UTC day of a moment, in days since 1970-01-01. */
export function dayOf(moment: Date): number {
  return Math.floor(moment.getTime() / DAY_MILLISECONDS);
}

/** Returns the first moment of a day. */
export function startOfDay(day: number): Date {
  return new Date(day * DAY_MILLISECONDS);
}

/** Stands for null, since a primary key cannot be null. */
const NONE = '';

/** By how much a number of rows changed on a day. Sums are read only from the index. */
@Index(['countedBy', 'day', 'value', 'change'])
export abstract class DailyCount {
  @PrimaryColumn(columnTypes.text) readonly countedBy!: string;
  @PrimaryColumn(columnTypes.integer) readonly day!: number;
  @PrimaryColumn(columnTypes.text) readonly value!: string;
  @Column(columnTypes.integer) readonly change!: number;
}

/** A further table of a stream projection: the changes of its numbers of rows, one row a day and value that changed. */
export class DailyCounts<Row> {
  readonly entities: readonly [EntityClass<DailyCount>];

  constructor(
    entity: EntityClass<DailyCount>,
    readonly countedBy: CountedBy<Row>,
  ) {
    this.entities = [entity];
  }

  /** The value by which a row is counted as the table has it; undefined if it is not counted. */
  storedValue(by: string, row: Row | undefined): string | undefined {
    const value = row && this.countedBy[by]?.(row);
    return value === null ? NONE : value?.toString();
  }

  /** Also writes a change of 0, so that the table does not depend on the sizes of batches. */
  project({ steps }: RowChanges<Row, { readonly recordedAt: Date }>, target: ProjectionTarget): void {
    const rows = new Map<string, DailyCount>();
    const add = (countedBy: string, day: number, value: string | undefined, change: number) => {
      if (value === undefined) return;
      const key = JSON.stringify([countedBy, day, value]);
      rows.set(key, { countedBy, day, value, change: change + (rows.get(key)?.change ?? 0) });
    };
    for (const { event, before, after } of steps) {
      for (const by of Object.keys(this.countedBy)) {
        const [left, joined] = [this.storedValue(by, before), this.storedValue(by, after)];
        if (left === joined) continue;
        add(by, dayOf(event.recordedAt), left, -1);
        add(by, dayOf(event.recordedAt), joined, 1);
      }
    }
    const table = entityTable(this.entities[0]);
    const name = target.table(table.name);
    const suffix = sql`ON CONFLICT ("counted_by", "day", "value") DO UPDATE SET "change" = ${name}."change" + excluded."change"`;
    table.insert(target, [...rows.values()], { suffix, into: name });
  }
}

/** Returns the value that a stored one stands for. */
export function fromStoredValue(value: string): string | null {
  return value === NONE ? null : value;
}
