import { join, raw, sql, type SqlFragment, type SqlRunner } from '#libs/database';
import { ApplicationError } from '#libs/observability';

/** The most rows that are read for a page or a count. */
export const MAX_ROWS = 100_000;
const FEW_ROWS = 1_000;
const GROWTH = 10;

/** A way to find the rows of a page without reading all rows. */
interface BoundedSearch<Row> {
  /** Whether the rows come in the order of the page, so that not all are needed. */
  readonly isOrdered: boolean;
  /** Returns those of so many rows that match, at most the limit of the page. */
  readonly read: (bound: number) => Promise<readonly Row[]>;
  /** Counts the rows among which is searched, as far as this. */
  readonly count: (bound: number) => Promise<number>;
}

/**
 * Returns a query of the first rows of several ranges of an index, in order. One condition for all ranges would make the database sort all
 * rows that match.
 * @param ranges queries without an order
 * @param rangeOrder the same order, as the index of each range has it
 */
export function firstOfRanges(
  ranges: readonly SqlFragment[],
  orderBy: SqlFragment,
  limit: number,
  rangeOrder: SqlFragment = orderBy,
): SqlFragment {
  const [only, ...others] = ranges;
  if (only && others.length === 0) return sql`${only} ${rangeOrder} LIMIT ${limit}`;
  const parts = ranges.map((range, place) => sql`SELECT * FROM (${range} ${rangeOrder} LIMIT ${limit}) AS ${raw(`"range_${place}"`)}`);
  return sql`SELECT * FROM (${join(parts, ' UNION ALL ')}) AS "ranges" ${orderBy} LIMIT ${limit}`;
}

/**
 * Looks for the rows of a page among few rows first, then among more. Nothing tells which of several searches gives them soonest.
 * @returns undefined if further ones may be beyond the last bound
 */
export async function findInGrowingBounds<Row>(
  limit: number,
  searches: readonly BoundedSearch<Row>[],
): Promise<readonly Row[] | undefined> {
  for (let bound = FEW_ROWS; bound <= MAX_ROWS; bound *= GROWTH) {
    for (const { isOrdered, read, count } of searches) {
      const found = isOrdered ? await read(bound) : undefined;
      if (found?.length === limit) return found;
      if ((await count(bound + 1)) <= bound) return found ?? read(bound);
    }
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
