import { DatabaseUnavailableError, sql, type Database, type SqlRunner } from '#libs/database';
import { cliCommand, StartupError } from '#libs/observability';
import type { EventRegistry } from './event.js';
import { selectEvents } from './read-events.js';
import { countedPosition, newestPosition } from './sequences.js';

const ADVICE = `Restore a backup; "${cliCommand('events verify')}" says more.`;

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
