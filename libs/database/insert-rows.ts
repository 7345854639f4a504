import type { SqlRunner } from './database.js';
import { identifier, join, raw, row, sql, type SqlFragment } from './sql.js';

// Far below the parameter limits of both databases, and one statement text for all full chunks of a bulk write.
const ROWS_IN_ONE_STATEMENT = 200;

export interface RowInsert {
  /** Quoted table name. */
  readonly table: SqlFragment;
  readonly columns: readonly string[];
  /** One list of values a row, in the order of `columns`. */
  readonly rows: readonly (readonly (string | number | bigint | null)[])[];
  /** What follows the rows, such as `ON CONFLICT ("id") DO UPDATE SET …`. */
  readonly suffix?: SqlFragment;
}

/** Inserts rows in order, many with one statement. */
export async function insertRows(runner: SqlRunner, { table, columns, rows, suffix }: RowInsert): Promise<void> {
  const columnList = join(columns.map(identifier));
  for (let start = 0; start < rows.length; start += ROWS_IN_ONE_STATEMENT) {
    const chunk = rows.slice(start, start + ROWS_IN_ONE_STATEMENT);
    await runner.query(sql`INSERT INTO ${table} (${columnList}) VALUES ${join(chunk.map(row))} ${suffix ?? raw('')}`);
  }
}
