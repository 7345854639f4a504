import { sql, type SqlRunner } from '#libs/database';
import type { RecordedEvent } from './event.js';
import { selectEvents } from './event-row.js';
import type { EventRegistry } from './event-registry.js';

/**
 * Reads the next page of the log on a given connection, so that a rebuild sees what its own transaction or snapshot sees.
 * @returns events after `after`, ascending, at most `limit`.
 */
export async function readLog(
  runner: SqlRunner,
  registry: EventRegistry,
  { after, limit }: { readonly after: bigint; readonly limit: number },
): Promise<RecordedEvent[]> {
  return selectEvents(runner, registry, sql`WHERE "position" > ${after} ORDER BY "position" LIMIT ${limit}`);
}
