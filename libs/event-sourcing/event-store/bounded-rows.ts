import { join, raw, sql, whereAll, type SqlFragment, type SqlRunner } from '#libs/database';
import { ApplicationError } from '#libs/observability';

/** The most rows that are read for a page or a count. */
export const MAX_ROWS = 100_000;
/** A page is looked for among few rows first. */
export const BOUNDS: readonly number[] = [1_000, 10_000, MAX_ROWS];

interface BoundedSearch<Row> {
  readonly limit: number;
  /** Returns those of so many rows that match, at most `limit`. */
  readonly read: (bound: number) => Promise<readonly Row[]>;
  /** Counts the rows among which is searched, as far as this. */
  readonly count: (bound: number) => Promise<number>;
}

/**
 * Returns a query of the first rows of several ranges of an index, in order. One condition for all ranges would make the database sort all
 * rows that match.
 * @param ranges queries without an order
 */
export function firstOfRanges(ranges: readonly SqlFragment[], orderBy: SqlFragment, limit: number): SqlFragment {
  const [only, ...others] = ranges;
  if (only && others.length === 0) return sql`${only} ${orderBy} LIMIT ${limit}`;
  const parts = ranges.map((range, place) => sql`SELECT * FROM (${range} ${orderBy} LIMIT ${limit}) AS ${raw(`"range_${place}"`)}`);
  return sql`SELECT * FROM (${join(parts, ' UNION ALL ')}) AS "ranges" ${orderBy} LIMIT ${limit}`;
}

/**
 * Looks for the rows of a page among few rows first, then among more.
 * @returns undefined if further ones may be beyond the last bound
 */
export async function findInGrowingBounds<Row>({ limit, read, count }: BoundedSearch<Row>): Promise<readonly Row[] | undefined> {
  for (const bound of BOUNDS) {
    const found = await read(bound);
    if (found.length === limit || (await count(bound + 1)) <= bound) return found;
  }
  return undefined;
}

/** Counts the rows of a query, or those of them for which all conditions hold. */
export async function countRows(runner: SqlRunner, rows: SqlFragment, conditions: readonly SqlFragment[] = []): Promise<number> {
  const [counted] = await runner.query<{ total: bigint | string }>(
    sql`SELECT count(*) AS "total" FROM (${rows}) AS "found" ${whereAll(conditions)}`,
  );
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
