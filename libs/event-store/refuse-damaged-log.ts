import { DatabaseUnavailableError, sql, type Database } from '#libs/database';
import type { EventRegistry } from './event-registry.js';
import { eventsTable, selectEvents } from './event-row.js';
import { lastPositionGivenOut } from './sequences.js';

const ADVICE = 'Restore a backup; "npm run cli -- events verify" says more.';

/**
 * Looks at the end of the log, where a file that was cut short or put together from two shows it first. What it costs does not grow
 * with the log.
 * @throws Error when the newest event cannot be read, or is not the one that was counted last.
 */
export async function refuseDamagedLog({ reader }: Database, registry: EventRegistry): Promise<void> {
  // One statement, since others may append meanwhile.
  const [end] = await reader.query<{ newest: bigint | string; counted: bigint | string }>(
    sql`SELECT (SELECT coalesce(max("position"), 0) FROM ${eventsTable}) AS "newest", ${lastPositionGivenOut} AS "counted"`,
  );
  const newest = BigInt(end?.newest ?? 0);
  const counted = BigInt(end?.counted ?? 0);
  if (newest !== counted) {
    throw new Error(`The event log is damaged: it ends at position ${newest}, but the last one given out is ${counted}. ${ADVICE}`);
  }
  try {
    await selectEvents(reader, registry, sql`WHERE "position" = ${newest}`);
  } catch (error) {
    if (error instanceof DatabaseUnavailableError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The event log is damaged: the event at position ${newest} cannot be read (${reason}). ${ADVICE}`, { cause: error });
  }
}
