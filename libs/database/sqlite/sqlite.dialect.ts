import { statSync } from 'node:fs';
import { type Dialect, type RunStatement, type StorageSize, identifier, join, raw, render, SqlFragment, sql } from '../sql.js';
import { sqliteTextSearch } from './sqlite-text-search.js';

// Few sizes, so that statements are prepared and rendered once. Large ones save most: SQLite journals changed pages once for each statement.
const ROWS_IN_A_STATEMENT = [1_000, 100, 10, 1];
// SQLite's limit for parameters of a statement.
const MAX_PARAMETERS = 32_766;
// A larger range of row ids has a gap, as the log has after a restore.
const MAX_ROWS = 1_000_000_000n;

/** Without the tables in which SQLite keeps a virtual one. */
const isOwnTable = sql`"tables"."schema" = 'main' AND "tables"."type" IN ('table', 'virtual') AND "tables"."name" NOT LIKE 'sqlite%'`;

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  placeholder: () => '?',
  isOneOf: (placeholder) => `IN (SELECT "value" FROM json_each(${placeholder}))`,
  mergesUnions: true,
  walksPrimaryKey: false,
  toListParameter: (values) => `[${values.map((value) => (typeof value === 'string' ? JSON.stringify(value) : value)).join(',')}]`,
  // Exactly INTEGER makes a single primary key column the row id itself.
  columnTypes: { int64: 'INTEGER', text: 'TEXT' },
  noOpWrite: sql`PRAGMA user_version = 0`,
  orderCheck: [],
  appendOnlyLog: [
    `CREATE TRIGGER "events_refuse_update" BEFORE UPDATE ON "events"
     BEGIN SELECT RAISE(ABORT, 'the event log is append-only: UPDATE refused'); END`,
    `CREATE TRIGGER "events_refuse_delete" BEFORE DELETE ON "events"
     BEGIN SELECT RAISE(ABORT, 'the event log is append-only: DELETE refused'); END`,
    // A replacing insert fires no DELETE trigger, so it is refused here, together with gaps and steps back.
    `CREATE TRIGGER "events_refuse_disorder" BEFORE INSERT ON "events"
     BEGIN
       SELECT RAISE(ABORT, 'the event log is append-only: position must ascend')
       WHERE NEW."position" <= (SELECT coalesce(max("position"), 0) FROM "events");
       SELECT RAISE(ABORT, 'the event log is append-only: stream version must be the next one')
       WHERE NEW."stream_version" <> 1 +
         (SELECT coalesce(max("stream_version"), 0) FROM "events" WHERE "stream_id" = NEW."stream_id");
     END`,
  ],
  findTable: (name) => sql`SELECT 1 AS "found" FROM "sqlite_master" WHERE "type" = 'table' AND "name" = ${name}`,
  listColumns: sql`SELECT "tables"."name" AS "table", "columns"."name" AS "column", nullif("columns"."pk", 0) AS "key"
    FROM pragma_table_list AS "tables" JOIN pragma_table_info("tables"."name") AS "columns"
    WHERE ${isOwnTable} ORDER BY "tables"."name", "columns"."cid"`,
  listSessions: undefined,
  logIdentity: sql`'file'`,
  insertStatements: ({ table, columns, rows, suffix = raw('') }) => {
    const head = sql`INSERT INTO ${table} (${join(columns.map(identifier))}) VALUES`;
    const [before, after] = [render(head, sqliteDialect), render(suffix, sqliteDialect)];
    const maxValues = MAX_PARAMETERS - after.parameters.length;
    const statements: SqlFragment[] = [];
    for (let start = 0; start < rows.length;) {
      const left = rows.length - start;
      const size = ROWS_IN_A_STATEMENT.find((fitting) => fitting <= left && fitting * columns.length <= maxValues) ?? 1;
      const text = `${before.text} ${placeholderList(size, columns.length)} ${after.text}`;
      const values: unknown[] = [];
      // Written out, since `flat` took three times as long.
      for (const row of rows.slice(start, start + size)) for (const value of row) values.push(value);
      statements.push(SqlFragment.rendered(text, [...values, ...after.parameters]));
      start += size;
    }
    return statements;
  },
  storageSize: readStorageSize,
  textSearch: sqliteTextSearch,
};

/** Returns the parenthesised placeholders of rows. */
function placeholderList(rows: number, columns: number): string {
  const row = `(${Array<string>(columns).fill('?').join(', ')})`;
  return Array<string>(rows).fill(row).join(', ');
}

/**
 * Counts rows by the first and last row id: exact if rows are only deleted oldest first, never too few, unknown if there is a wide gap.
 * The size of a table would need a walk over all pages.
 */
async function readStorageSize(run: RunStatement): Promise<StorageSize> {
  const [file] = await run<{ bytes: bigint; path: string }>(
    sql`SELECT "page_count" * "page_size" AS "bytes", "file" AS "path"
        FROM pragma_page_count(), pragma_page_size(), pragma_database_list WHERE "name" = 'main'`,
  );
  const log = statSync(`${file?.path}-wal`, { throwIfNoEntry: false });
  const tables = await run<{ name: string }>(
    sql`SELECT "name" FROM pragma_table_list AS "tables" WHERE ${isOwnTable} AND "type" = 'table' ORDER BY "name"`,
  );
  const names = tables.map(({ name }) => name);
  return { bytes: Number(file?.bytes ?? 0), writeAheadLogBytes: log?.size ?? 0, tables: await readRows(run, names) };
}

async function readRows(run: RunStatement, names: readonly string[]): Promise<StorageSize['tables']> {
  if (names.length === 0) return [];
  // min() and max() in one statement would scan the table; each of its own is one look-up.
  const counts = names.map((name) => {
    const table = identifier(name);
    return sql`SELECT ${name} AS "table", (SELECT max("rowid") FROM ${table}) - (SELECT min("rowid") FROM ${table}) + 1 AS "rows"`;
  });
  const rows = await run<{ table: string; rows: bigint | null }>(join(counts, ' UNION ALL '));
  return rows.map(({ table, rows: count }) => ({ table, rows: (count ?? 0n) < MAX_ROWS ? Number(count) : undefined, bytes: undefined }));
}
