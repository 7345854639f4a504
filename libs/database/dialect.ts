import type { SqlFragment } from './sql.js';
import type { RunStatement, StorageSize } from './storage-size.js';

/** What differs between the databases, in one place. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** The n-th bound parameter of a statement, counted from 1. */
  readonly placeholder: (index: number) => string;
  /** Column types of projection tables and migrations. */
  readonly columnTypes: { readonly int64: string; readonly text: string };
  /** Statements that make the log append-only; run once by a migration. */
  readonly appendOnlyLog: readonly string[];
  /** Lists the tables: one row for each column, in their order; `key` is its place in the primary key, null where it has none. */
  readonly listColumns: SqlFragment;
  /** The statements that insert rows, in order. */
  readonly insertStatements: (insert: RowInsert) => SqlFragment[];
  /** What the database and its tables take. Costs an instant, however large they are. */
  readonly storageSize: (run: RunStatement) => Promise<StorageSize>;
}

/** The values of a row. */
export type TableRow = readonly (string | number | bigint | null)[];

export interface RowInsert {
  /** Quoted table name. */
  readonly table: SqlFragment;
  readonly columns: readonly string[];
  /** One list of values a row, in the order of `columns`. */
  readonly rows: readonly TableRow[];
  /** What follows the rows, such as `ON CONFLICT ("id") DO UPDATE SET …`. */
  readonly suffix?: SqlFragment;
}
