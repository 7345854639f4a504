import type { SqlRunner } from './database.js';
import type { RowInsert } from './dialect.js';

/** Inserts rows in order, many with one statement. */
export async function insertRows(runner: SqlRunner, insert: RowInsert): Promise<void> {
  for (const statement of runner.dialect.insertStatements(insert)) await runner.query(statement);
}
