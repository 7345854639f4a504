import { insertRows, sql } from '#libs/database';
import type { ProjectionTable, ProjectionTarget } from './projection.js';
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

/** A further table of a stream projection: the changes of its numbers of rows, one row a day and value that changed. */
export class DailyCounts<Row> {
  readonly tables: readonly [ProjectionTable];

  constructor(
    name: string,
    readonly countedBy: CountedBy<Row>,
  ) {
    const columns = { counted_by: { type: 'text' }, day: { type: 'int64' }, value: { type: 'text' }, change: { type: 'int64' } } as const;
    // Sums are read only from the index.
    const indexes = [['counted_by', 'day', 'value', 'change']];
    this.tables = [{ name, columns, primaryKey: ['counted_by', 'day', 'value'], indexes }];
  }

  /** The value by which a row is counted as the table has it; undefined if it is not counted. */
  storedValue(by: string, row: Row | undefined): string | undefined {
    const value = row && this.countedBy[by]?.(row);
    return value === null ? NONE : value?.toString();
  }

  /** Also writes a change of 0, so that the table does not depend on the sizes of batches. */
  project({ steps }: RowChanges<Row, Timed>, target: ProjectionTarget): void {
    const rows = new Map<string, [by: string, day: number, value: string, change: number]>();
    const add = (by: string, day: number, value: string | undefined, change: number) => {
      if (value === undefined) return;
      const key = JSON.stringify([by, day, value]);
      const row = rows.get(key) ?? [by, day, value, 0];
      row[3] += change;
      rows.set(key, row);
    };
    for (const { event, before, after } of steps) {
      for (const by of Object.keys(this.countedBy)) {
        const [left, joined] = [this.storedValue(by, before), this.storedValue(by, after)];
        if (left === joined) continue;
        add(by, dayOf(event.recordedAt), left, -1);
        add(by, dayOf(event.recordedAt), joined, 1);
      }
    }
    const [table] = this.tables;
    const name = target.table(table.name);
    const suffix = sql`ON CONFLICT ("counted_by", "day", "value") DO UPDATE SET "change" = ${name}."change" + excluded."change"`;
    insertRows(target, { table: name, columns: Object.keys(table.columns), rows: [...rows.values()], suffix });
  }
}

interface Timed {
  readonly recordedAt: Date;
}

/** Returns the value that a stored one stands for. */
export function fromStoredValue(value: string): string | null {
  return value === NONE ? null : value;
}
