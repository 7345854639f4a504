import { sql, type SqlRunner } from '#libs/database';
import { eventsTable } from './event-row.js';

/** What the names of the rows of `sequences` begin with that hold where a history of the log began. */
export const HISTORY = 'history:';

/** A history of the log that began behind what was lost. */
export interface LaterHistory {
  readonly from: bigint;
  /** The histories agree up to here; 0: nothing of the one before is left. */
  readonly agreesUpTo: bigint;
}

/** The histories that began after the first one, oldest first. */
export async function readLaterHistories(runner: SqlRunner): Promise<LaterHistory[]> {
  const rows = await runner.query<{ from: bigint | string; agrees_up_to: bigint | string }>(
    sql`SELECT "last_value" AS "from", (
          SELECT coalesce(max("position"), 0) FROM ${eventsTable} WHERE "position" < "last_value"
        ) AS "agrees_up_to"
        FROM "sequences" WHERE "name" LIKE ${`${HISTORY}%`} AND "last_value" > 1 ORDER BY "last_value"`,
  );
  return rows.map(({ from, agrees_up_to }) => ({ from: BigInt(from), agreesUpTo: BigInt(agrees_up_to) }));
}

/** How many positions there are behind one and up to another, without those between two histories, which nobody was given. */
export async function countPositions(
  runner: SqlRunner,
  { after, until }: { readonly after: bigint; readonly until: bigint },
): Promise<bigint> {
  if (until <= after) return 0n;
  const begun = (await readLaterHistories(runner)).filter(({ from }) => after < from && from <= until);
  return begun.reduce((count, { from, agreesUpTo }) => count - (from - 1n - (agreesUpTo > after ? agreesUpTo : after)), until - after);
}
