import { DatabaseUnavailableError, sql, type Database } from '#libs/database';
import { cliCommand, StartupError } from '#libs/observability';
import type { EventRegistry } from './event.js';
import { EventReader } from './read-events.js';
import { countedPosition, newestPosition } from './sequences.js';

const ADVICE = `Restore a backup; "${cliCommand('events verify')}" says more.`;

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
    await new EventReader(reader, registry).readAll({ after: newest - 1n });
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartupError(`The event log is damaged: the event at position ${newest} cannot be read (${reason}). ${ADVICE}`, {
      cause: error,
    });
  }
}
