import { identifier, join, sql } from '../sql.js';
import type { RunStatement, StorageSize } from '../storage-size.js';

/**
 * Rows are told from the first and last row id, two looks at the end of a tree: exact as long as rows go oldest first or not at
 * all, and never too few. What a table takes on disk only a walk over all pages would tell.
 */
export async function readSqliteStorageSize(run: RunStatement): Promise<StorageSize> {
  const [file] = await run<{ bytes: bigint }>(
    sql`SELECT "page_count" * "page_size" AS "bytes" FROM pragma_page_count(), pragma_page_size()`,
  );
  const tables = await run<{ name: string }>(
    sql`SELECT "name" FROM "sqlite_master" WHERE "type" = 'table' AND "name" NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY "name"`,
  );
  const names = tables.map(({ name }) => name);
  return { bytes: Number(file?.bytes ?? 0), tables: await readRows(run, names) };
}

async function readRows(run: RunStatement, names: readonly string[]): Promise<StorageSize['tables']> {
  if (names.length === 0) return [];
  // min() and max() in one statement would read the whole table; alone each is one look.
  const counts = names.map((name) => {
    const table = identifier(name);
    return sql`SELECT ${name} AS "table", (SELECT max("rowid") FROM ${table}) - (SELECT min("rowid") FROM ${table}) + 1 AS "rows"`;
  });
  const rows = await run<{ table: string; rows: bigint | null }>(join(counts, ' UNION ALL '));
  return rows.map(({ table, rows: count }) => ({ table, rows: Number(count ?? 0), bytes: undefined }));
}
