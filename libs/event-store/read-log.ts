import { join, raw, sql, type SqlRunner } from '#libs/database';
import type { RecordedEvent } from './event.js';
import { eventsTable, selectEvents } from './event-row.js';
import type { EventRegistry } from './event-registry.js';

/** The events after a position, ascending, at most `limit`. */
export interface LogPage {
  readonly after: bigint;
  readonly limit: number;
}

/** Reads the next page of the log on a given connection, so that a rebuild sees what its own transaction or snapshot sees. */
export async function readLog(runner: SqlRunner, registry: EventRegistry, { after, limit }: LogPage): Promise<RecordedEvent[]> {
  return selectEvents(runner, registry, sql`WHERE "position" > ${after} ORDER BY "position" LIMIT ${limit}`);
}

/** The same of some event types alone, at the cost of the events that it gives, however many others stand between them. */
export async function readEventsOfTypes(
  runner: SqlRunner,
  registry: EventRegistry,
  { types, after, limit }: LogPage & { readonly types: readonly string[] },
): Promise<RecordedEvent[]> {
  // One range of the index for each type; a condition on all of them together would read what stands between.
  const ranges = types.map(
    (type, index) =>
      sql`SELECT "position" FROM (SELECT "position" FROM ${eventsTable} WHERE "type" = ${type} AND "position" > ${after}
          ORDER BY "position" LIMIT ${limit}) AS ${raw(`"range_${index}"`)}`,
  );
  const positions = sql`SELECT "position" FROM (${join(ranges, ' UNION ALL ')}) AS "ranges" ORDER BY "position" LIMIT ${limit}`;
  return selectEvents(runner, registry, sql`WHERE "position" IN (${positions}) ORDER BY "position"`);
}
