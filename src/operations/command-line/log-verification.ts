import { sql, type Database, type SqlRunner } from '#libs/database';
import { readLaterHistories, type EventStore, type LaterHistory } from '#libs/event-store';

export interface LogReport {
  readonly events: bigint;
  readonly streams: bigint;
  /** Those that began after a failover or a restore, where there are any. */
  readonly histories?: readonly LaterHistory[];
  /** One sentence each; of streams at fault at most MOST_NAMED for each kind of fault. */
  readonly problems: readonly string[];
}

const MOST_NAMED = 100;

/** Checks the log itself: the versions of each stream run from 1 without a gap and ascend with the positions. */
export async function verifyLog(database: Database, store: EventStore): Promise<LogReport> {
  return database.snapshot(async (runner) => {
    const { events, streams, first, last } = await countEvents(runner);
    const problems = [...(await findGaps(runner)), ...(await findDisorder(runner))];
    if (events > 0n && first < 1n) problems.push(`the log begins at position ${first}; positions begin at 1`);
    const counter = await store.lastPosition();
    if (last > counter) problems.push(`the log ends at position ${last}, past its counter, which is at ${counter}`);
    const histories = await readLaterHistories(runner);
    return { events, streams, ...(histories.length > 0 && { histories }), problems };
  });
}

export function describeHistory({ from, agreesUpTo }: LaterHistory): string {
  return `from position ${from}; what the one before had behind position ${agreesUpTo} is lost`;
}

type Integer = bigint | string;

async function countEvents(runner: SqlRunner): Promise<{ events: bigint; streams: bigint; first: bigint; last: bigint }> {
  const [counted] = await runner.query<{ events: Integer; streams: Integer; first: Integer | null; last: Integer | null }>(
    sql`SELECT count(*) AS "events", count(DISTINCT "stream_id") AS "streams", min("position") AS "first", max("position") AS "last" FROM "events"`,
  );
  return {
    events: BigInt(counted?.events ?? 0),
    streams: BigInt(counted?.streams ?? 0),
    first: BigInt(counted?.first ?? 0),
    last: BigInt(counted?.last ?? 0),
  };
}

async function findGaps(runner: SqlRunner): Promise<string[]> {
  const streams = await runner.query<{ stream_id: string; events: Integer; first: Integer; last: Integer }>(
    sql`SELECT "stream_id", count(*) AS "events", min("stream_version") AS "first", max("stream_version") AS "last"
        FROM "events" GROUP BY "stream_id"
        HAVING min("stream_version") <> 1 OR max("stream_version") <> count(*)
        ORDER BY "stream_id" LIMIT ${MOST_NAMED}`,
  );
  return streams.map(
    ({ stream_id, events, first, last }) => `stream ${stream_id} has ${events} events with versions from ${first} to ${last}`,
  );
}

async function findDisorder(runner: SqlRunner): Promise<string[]> {
  const places = await runner.query<{ stream_id: string; stream_version: Integer; position: Integer; previous: Integer }>(
    sql`SELECT "stream_id", "stream_version", "position", "previous" FROM (
          SELECT "stream_id", "stream_version", "position",
            lag("position") OVER (PARTITION BY "stream_id" ORDER BY "stream_version") AS "previous"
          FROM "events"
        ) AS "ordered"
        WHERE "previous" >= "position" ORDER BY "stream_id", "stream_version" LIMIT ${MOST_NAMED}`,
  );
  return places.map(
    ({ stream_id, stream_version, position, previous }) =>
      `stream ${stream_id} has version ${stream_version} at position ${position}, before the version that precedes it, at ${previous}`,
  );
}
