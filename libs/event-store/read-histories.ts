import { raw, sql, type SqlFragment, type SqlRunner } from '#libs/database';
import type { RecordedEvent } from './event.js';
import { eventsTable, selectEvents } from './event-row.js';
import type { EventRegistry } from './event-registry.js';
import type { HistoryPage } from './event-store.js';
import { streamsWith } from './streams-with.js';

const newest = raw('"newest"');
const version = raw('"events"."stream_version"');

/** Reads the same page of each stream. It is a range of versions, so that an index gives it wherever it stands in a long stream. */
export function readHistories(
  runner: SqlRunner,
  registry: EventRegistry,
  streams: readonly string[],
  { limit, first = 'oldest', after, until }: HistoryPage,
): Promise<RecordedEvent[]> {
  const ofStream = sql`FROM ${eventsTable} WHERE "stream_id" = "wanted"."key"`;
  // The first events, also where an old log has times that go back.
  const later = sql`(SELECT min("stream_version") ${ofStream} AND "recorded_at" > ${until?.getTime() ?? 0})`;
  const last = sql`(SELECT max("stream_version") ${ofStream})`;
  return selectEvents(
    runner,
    registry,
    sql`JOIN (
          SELECT "wanted"."key" AS "stream", ${until ? sql`coalesce(${later} - 1, ${last})` : last} AS "newest"
          FROM ${streamsWith(runner, new Map(streams.map((stream) => [stream, 0])))} AS "wanted"
        ) AS "streams" ON "stream_id" = "stream" AND ${version} <= ${newest} AND ${versionsOf({ limit, first, after })}
        ORDER BY "position" ${raw(first === 'oldest' ? 'ASC' : 'DESC')}`,
  );
}

function versionsOf({ limit, first, after }: Pick<HistoryPage, 'limit' | 'first' | 'after'>): SqlFragment {
  if (first === 'oldest') return sql`${version} > ${after ?? 0} AND ${version} <= ${(after ?? 0) + limit}`;
  if (after === undefined) return sql`${version} > ${newest} - ${limit}`;
  return sql`${version} < ${after} AND ${version} >= ${after - limit}`;
}
