import { join, plannedForValues, raw, sql, type SqlFragment, type SqlRunner } from '#libs/database';
import { ApplicationError } from '#libs/observability';

/** The most rows that are read for a page or a count. */
const MAX_ROWS = 100_000;
const FEW_ROWS = 1_000;
const GROWTH = 10;

/** One page of a list, in the order of the numbers that stand for its items, such as their ids. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** The number after which the next page begins; undefined on the last page. */
  readonly next: bigint | undefined;
}

/** Which page of a list is wanted. */
export interface PageRange {
  /** The most items to give, from 1. */
  readonly limit: number;
  /** Only items that follow the one with this number in the order of the list. */
  readonly after?: bigint | undefined;
  /** Default false: ascending. */
  readonly descending?: boolean | undefined;
}

/** Makes a page of items of which one more was asked for than the page may have, which tells whether another page follows. */
export function toPage<Item>(found: readonly Item[], limit: number, numberOf: (item: Item) => bigint): Page<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last !== undefined ? numberOf(last) : undefined };
}

/** A way to find the rows of a list without reading all of them. */
export interface BoundedWalk {
  /** Whether it gives rows in the order of the list, so that not all are needed. */
  readonly isOrdered: boolean;
  /** Whether it has the rows that match and no other. */
  readonly isExact: boolean;
  /** Returns a query of at most so many rows, among which are the first ones that match. */
  readonly rows: (bound: number) => SqlFragment;
}

/**
 * Returns a query of the first rows of several ranges of an index. One condition for all ranges would make the database sort all rows that
 * match.
 * @param ranges queries of the first rows of each range
 * @param first the order of all and how many are wanted, such as `ORDER BY "id" LIMIT 21`
 */
export function firstOfRanges(ranges: readonly SqlFragment[], first: SqlFragment): SqlFragment {
  const [only, ...others] = ranges;
  if (only && others.length === 0) return only;
  const parts = ranges.map((range, place) => sql`SELECT * FROM (${range}) AS ${raw(`"range_${place}"`)}`);
  return sql`SELECT * FROM (${join(parts, ' UNION ALL ')}) AS "ranges" ${first}`;
}

/**
 * Looks for the rows of a page among few rows first, then among more. Nothing tells which of several walks gives them soonest.
 * @param read reads those of the rows of a query that match, at most `limit`
 * @returns undefined if further ones may be beyond the last bound
 */
export async function findInWalks<Row>(
  runner: SqlRunner,
  walks: readonly BoundedWalk[],
  { limit, read }: { readonly limit: number; readonly read: (rows: SqlFragment) => Promise<readonly Row[]> },
): Promise<readonly Row[] | undefined> {
  for (let bound = FEW_ROWS; bound <= MAX_ROWS; bound *= GROWTH) {
    for (const { isOrdered, rows } of walks) {
      const walked = plannedForValues(rows(bound));
      const found = isOrdered ? await read(walked) : undefined;
      if (found?.length === limit) return found;
      if ((await countRows(runner, plannedForValues(rows(bound + 1)))) <= bound) return found ?? read(walked);
    }
  }
  return undefined;
}

/** Counts the rows that a clause selects, by the first walk that has few enough. @returns undefined if none has */
export async function countInWalks(runner: SqlRunner, walks: readonly BoundedWalk[], where: SqlFragment): Promise<number | undefined> {
  for (const { isExact, rows } of walks) {
    const walked = await countRows(runner, plannedForValues(rows(MAX_ROWS + 1)));
    if (walked > MAX_ROWS) continue;
    return isExact ? walked : countRows(runner, sql`SELECT 1 AS "row" FROM (${plannedForValues(rows(MAX_ROWS))}) AS "walked" ${where}`);
  }
  return undefined;
}

/** Counts the rows of a query. */
export async function countRows(runner: SqlRunner, rows: SqlFragment): Promise<number> {
  const [counted] = await runner.query<{ total: bigint | string }>(sql`SELECT count(*) AS "total" FROM (${rows}) AS "found"`);
  return Number(counted?.total ?? 0);
}

/**
 * The error of a list for which more rows would have to be read.
 * @param rows what they are, such as `events`
 * @param narrowing what a client can narrow the list by
 */
export function tooManyRows(what: 'page' | 'count', rows: string, narrowing: string): ApplicationError {
  const most = MAX_ROWS.toLocaleString('en');
  return new ApplicationError(
    'invalid_parameter',
    `This ${what} would take more than ${most} ${rows} to be read; narrow it by ${narrowing}.`,
  );
}
