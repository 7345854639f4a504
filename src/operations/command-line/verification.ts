import type { INestApplicationContext } from '@nestjs/common';
import { fields, toned, withProgress, type Cells, type CliContext } from '#libs/cli';
import { Database, sql, type SqlRunner } from '#libs/database';
import { countedPosition, readLaterHistories, readPosition, type LaterHistory, ReadModels } from '#libs/event-sourcing';

interface LogReport {
  readonly events: bigint;
  readonly streams: bigint;
  /** Histories of the log that began after a failover or a restore, if there are any. */
  readonly histories?: readonly LaterHistory[];
  /** One sentence each; at most MAX_STREAMS_NAMED streams for each kind of fault. */
  readonly problems: readonly string[];
}

const MAX_STREAMS_NAMED = 100;

/** Checks the log and that the projections equal a replay of it. Shows a progress bar. */
export async function verify(application: INestApplicationContext): Promise<LogReport> {
  const log = await verifyLog(application.get(Database, { strict: false }));
  const readModels = application.get(ReadModels, { strict: false });
  const differences = await withProgress('replaying', (onProgress) => readModels.verify(onProgress));
  return { ...log, problems: [...log.problems, ...differences] };
}

/** Prints what `verify` finds; the command fails if there are problems. */
export async function printVerification(context: CliContext): Promise<void> {
  const report = await verify(await context.application());
  context.print(report, reportFields);
  if (report.problems.length === 0) return;
  context.note(`The log or its projections have problems: ${report.problems.length}.`);
  context.fail();
}

const reportFields = fields<LogReport>(({ events, streams, histories = [], problems }) => ({
  events,
  streams,
  ...historyCells(histories),
  problems: problems.length === 0 ? toned('good', 'none') : toned('bad', String(problems.length)),
  ...numbered('problem', problems),
}));

/** Checks the log itself: the versions of each stream run from 1 without a gap and ascend with the positions. */
async function verifyLog(database: Database): Promise<LogReport> {
  return database.snapshot(async (runner) => {
    const [counted] = await runner.query<Record<string, bigint | string>>(
      sql`SELECT count(*) AS "events", count(DISTINCT "stream_id") AS "streams",
            coalesce(min("position"), 0) AS "first", coalesce(max("position"), 0) AS "last" FROM "events"`,
    );
    const read = (name: string) => BigInt(counted?.[name] ?? 0);
    const [events, streams, first, last] = [read('events'), read('streams'), read('first'), read('last')];
    const problems = await findFaultyStreams(runner);
    if (events > 0n && first < 1n) problems.push(`the log begins at position ${first}; positions begin at 1`);
    const counter = await readPosition(runner, countedPosition);
    if (last > counter) problems.push(`the log ends at position ${last}, past its counter, which is at ${counter}`);
    const histories = await readLaterHistories(runner);
    return { events, streams, ...(histories.length > 0 && { histories }), problems };
  });
}

/** Labels texts by their place, such as `problem 1`. */
export function numbered(label: string, texts: readonly string[]): Cells {
  return Object.fromEntries(texts.map((text, index) => [`${label} ${index + 1}`, text]));
}

/** Describes where each later history of the log begins, labelled from `history 2 of the log` on. */
export function historyCells(histories: readonly LaterHistory[]): Cells {
  const cells = histories.map(({ from, agreesUpTo }, index) => [
    `history ${index + 2} of the log`,
    `from position ${from}; events of the previous history after position ${agreesUpTo} are lost`,
  ]);
  return Object.fromEntries(cells) as Cells;
}

/** Finds streams whose versions have gaps, and those whose versions do not ascend with the positions. */
async function findFaultyStreams(runner: SqlRunner): Promise<string[]> {
  const gaps = await runner.query<{ problem: string }>(
    sql`SELECT 'stream ' || "stream_id" || ' has ' || count(*) || ' events with versions from ' || min("stream_version") || ' to ' ||
          max("stream_version") AS "problem"
        FROM "events" GROUP BY "stream_id"
        HAVING min("stream_version") <> 1 OR max("stream_version") <> count(*)
        ORDER BY "stream_id" LIMIT ${MAX_STREAMS_NAMED}`,
  );
  const disorder = await runner.query<{ problem: string }>(
    sql`SELECT 'stream ' || "stream_id" || ' has version ' || "stream_version" || ' at position ' || "position" ||
          ', before the version that precedes it, at ' || "previous" AS "problem"
        FROM (
          SELECT "stream_id", "stream_version", "position",
            lag("position") OVER (PARTITION BY "stream_id" ORDER BY "stream_version") AS "previous"
          FROM "events"
        ) AS "ordered"
        WHERE "previous" >= "position" ORDER BY "stream_id", "stream_version" LIMIT ${MAX_STREAMS_NAMED}`,
  );
  return [...gaps, ...disorder].map(({ problem }) => problem);
}
