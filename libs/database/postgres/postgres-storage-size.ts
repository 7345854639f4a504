import { sql } from '../sql.js';
import type { RunStatement, StorageSize } from '../storage-size.js';

/** One look at the catalog. Rows are the planner's estimate, which a table that was never analysed has not. */
export async function readPostgresStorageSize(run: RunStatement): Promise<StorageSize> {
  const [database] = await run<{ bytes: string }>(sql`SELECT pg_database_size(current_database()) AS "bytes"`);
  const tables = await run<{ table: string; rows: number; bytes: string }>(
    sql`SELECT "relname"::text AS "table", "reltuples"::float8 AS "rows", pg_total_relation_size("oid") AS "bytes"
        FROM "pg_class" WHERE "relkind" = 'r' AND "relnamespace" = quote_ident(current_schema())::regnamespace ORDER BY "relname"`,
  );
  return {
    bytes: Number(database?.bytes ?? 0),
    tables: tables.map(({ table, rows, bytes }) => ({ table, rows: rows < 0 ? undefined : rows, bytes: Number(bytes) })),
  };
}
