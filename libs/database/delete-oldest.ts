import type { Database } from './database.js';
import { identifier, join, sql } from './sql.js';

export interface OldRows {
  readonly table: string;
  /** The columns that name a row. */
  readonly key: readonly string[];
  /** The column that says when a row was stored, in milliseconds since 1970; null where it is to stay. */
  readonly storedAt: string;
  readonly before: Date;
  /** How many rows at the most: keeps the write lock short. */
  readonly limit: number;
}

/** Deletes rows that were stored before an instant, oldest first, in one write transaction. Returns how many. Takes no lock where there are none. */
export async function deleteOldest(database: Database, { table, key, storedAt, before, limit }: OldRows): Promise<number> {
  const [name, keyColumns, time] = [identifier(table), join(key.map(identifier)), identifier(storedAt)];
  const old = sql`SELECT ${keyColumns} FROM ${name} WHERE ${time} < ${before.getTime()} ORDER BY ${time} LIMIT ${limit}`;
  if ((await database.reader.query(old)).length === 0) return 0;
  const deleted = await database.write((transaction) =>
    transaction.query(sql`DELETE FROM ${name} WHERE (${keyColumns}) IN (${old}) RETURNING ${keyColumns}`),
  );
  return deleted.length;
}
