import { insertRows, sql, type SqlRunner, type WriteTransaction } from '#libs/database';
import { EVENT_COLUMNS, eventColumns, eventsTable, type StoredEvent } from './event-row.js';
import type { LogPage } from './read-log.js';
import { Sequences } from './sequences.js';

/** The next page of the log as it is stored: not upcast, also of types that this build does not know. */
export async function readStoredEvents(runner: SqlRunner, { after, limit }: LogPage): Promise<StoredEvent[]> {
  return runner.query<StoredEvent>(
    sql`SELECT ${eventColumns} FROM ${eventsTable} WHERE "position" > ${after} ORDER BY "position" LIMIT ${limit}`,
  );
}

/** Where the log ends as it is stored, 0 for an empty one, whatever the counters say. */
export async function lastStoredPosition(runner: SqlRunner): Promise<bigint> {
  const rows = await runner.query<{ position: bigint | string | null }>(sql`SELECT max("position") AS "position" FROM ${eventsTable}`);
  return BigInt(rows[0]?.position ?? 0);
}

/**
 * Puts events that another log holds at the end of this one, in the order of their positions and exactly as they are there. The
 * counters go along, so that what is appended afterwards gets positions and ids after theirs. Projections are not told: they catch up.
 */
export async function copyStoredEvents(transaction: WriteTransaction, events: readonly StoredEvent[]): Promise<void> {
  const sequences = await Sequences.load(transaction);
  const rows = events.map((event) => EVENT_COLUMNS.map((column) => event[column]));
  await insertRows(transaction, { table: eventsTable, columns: EVENT_COLUMNS, rows });
  for (const { position, type, stream_id } of events) sequences.noteCopied({ position: BigInt(position), type, stream: stream_id });
  await sequences.save(transaction);
}
