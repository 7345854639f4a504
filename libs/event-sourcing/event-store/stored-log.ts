import { DatabaseUnavailableError, entityTable, sql, type Database, type SqlRunner, type WriteTransaction } from '#libs/database';
import { cliCommand, StartupError } from '#libs/observability';
import type { EventRegistry } from './event.js';
import { StoredEvent } from './event.entity.js';
import { eventsTable, selectEvents, toClause, type EventQuery } from './read-events.js';
import { countedPosition, newestPosition, parseNumberedStream, Sequences } from './sequences.js';

const ADVICE = `Restore a backup; "${cliCommand('events verify')}" says more.`;

/** Returns the next page of the log as stored: not upcast, also events of types that this build does not know. */
export async function readStoredEvents(runner: SqlRunner, page: Pick<EventQuery, 'after' | 'limit'>): Promise<StoredEvent[]> {
  return entityTable(StoredEvent).read(runner, eventsTable, toClause(page));
}

/** Returns the position of the last stored event, 0 for an empty log, whatever the counters say. */
export async function lastStoredPosition(runner: SqlRunner): Promise<bigint> {
  const rows = await runner.query<{ position: bigint | string }>(sql`SELECT ${newestPosition} AS "position"`);
  return BigInt(rows[0]?.position ?? 0);
}

/** Returns the position that was counted last, which is that of the last stored event unless the log was damaged. */
export async function lastCountedPosition(runner: SqlRunner): Promise<bigint> {
  const rows = await runner.query<{ position: bigint | string }>(sql`SELECT ${countedPosition} AS "position"`);
  return BigInt(rows[0]?.position ?? 0);
}

/**
 * Appends events of another log unchanged, in the order of their positions, and moves the counters past their positions and ids.
 * Projections catch up later.
 */
export async function copyStoredEvents(transaction: WriteTransaction, events: readonly StoredEvent[]): Promise<void> {
  const categories = events.flatMap(({ stream }) => parseNumberedStream(stream)?.category ?? []);
  const sequences = await Sequences.load(transaction, categories);
  entityTable(StoredEvent).insert(transaction, events);
  for (const event of events) sequences.noteCopied(event);
  sequences.save(transaction);
}

/**
 * Checks the end of the log, which shows first if a file was truncated or joined from two. Its cost does not grow with the log.
 * @throws StartupError if the newest event cannot be read, or is not the one that was counted last.
 */
export async function assertLogIntact({ reader }: Database, registry: EventRegistry): Promise<void> {
  // One statement, since others may append meanwhile.
  const [end] = await reader.query<{ newest: bigint | string; counted: bigint | string }>(
    sql`SELECT ${newestPosition} AS "newest", ${countedPosition} AS "counted"`,
  );
  const newest = BigInt(end?.newest ?? 0);
  const counted = BigInt(end?.counted ?? 0);
  if (newest !== counted) {
    throw new StartupError(`The event log is damaged: it ends at position ${newest}, but the last one given out is ${counted}. ${ADVICE}`);
  }
  try {
    await selectEvents(reader, registry, sql`WHERE "position" = ${newest}`);
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`The event log is damaged: the event at position ${newest} cannot be read (${reason}). ${ADVICE}`, {
      cause: error,
    });
  }
}
