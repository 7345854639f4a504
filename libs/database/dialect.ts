import type { SqlFragment, SqlSyntax } from './sql.js';

/** What differs between the databases, in one place. */
export interface Dialect extends SqlSyntax {
  readonly name: 'sqlite' | 'postgres';
  /** Column types of projection tables and migrations. */
  readonly columnTypes: { readonly int64: string; readonly text: string };
  /** Statements that make the log append-only; run once by a migration. */
  readonly appendOnlyLog: readonly string[];
  /** Lists the tables: one row for each column, in their order; `key` is its place in the primary key, null where it has none. */
  readonly listColumns: SqlFragment;
  /** One row for each `application_name` of the sessions of this database: `name`, `connections` and `since`; undefined for a file. */
  readonly listSessions: SqlFragment | undefined;
  /** A statement of a transaction that leaves everything as it is, and needs room on the disk. */
  readonly changesNothing: SqlFragment;
  /**
   * What the log of this server and database is known by, as an SQL expression for a write transaction: another text after a failover and
   * after a restore on another server. The same for every file.
   */
  readonly logIdentity: SqlFragment;
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
