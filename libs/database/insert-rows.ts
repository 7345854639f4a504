import type { SqlRunner } from './database.js';
import type { RowInsert } from './dialect.js';
import { pipelined } from './pipelined.js';

/** Inserts rows in order, many with one statement. All statements are sent by the time the call returns its promise. */
export async function insertRows(runner: SqlRunner, insert: RowInsert): Promise<void> {
  await pipelined(runner.dialect.insertStatements(insert).map((statement) => runner.query(statement)));
}
