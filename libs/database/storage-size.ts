import type { SqlFragment } from './sql.js';

/** Runs a statement on some connection. */
export type RunStatement = <Row extends object>(statement: SqlFragment) => Promise<Row[]>;

/** What a table takes. */
export interface TableSize {
  readonly table: string;
  /** At most a look at an index or at the planner's figures, so no more than close to the truth; undefined where it is not known. */
  readonly rows: number | undefined;
  /** With its indexes; undefined where it cannot be told without reading the whole file. */
  readonly bytes: number | undefined;
}

/** What the database takes, as far as it can be told in an instant however large it is. */
export interface StorageSize {
  readonly bytes: number;
  readonly tables: readonly TableSize[];
}
