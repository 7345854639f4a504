import { identifier, isOneOf, join, sql, type Database, type SqlFragment, type SqlRunner } from '#libs/database';
import type { ReadModels } from './live-projections.js';
import { toPage, type Page, type PageRange } from './page.js';
import { projectionTableName } from './projection.js';
import type { StreamProjection } from './stream-projection.js';

/** Values that a row must have; undefined ones are ignored. */
export type RowFilter<Row> = { readonly [Member in keyof Row]?: Row[Member] | undefined };

/** Reads the rows of a stream projection, as of the last acknowledged event. A module's reader extends it by its own questions. */
export class RowReader<Row extends { readonly id: bigint }> {
  /** The quoted name of the table. */
  protected readonly table: SqlFragment;

  constructor(
    private readonly projection: StreamProjection<Row>,
    private readonly database: Database,
    private readonly readModels: ReadModels,
  ) {
    this.table = identifier(projectionTableName(projection, projection.table.name));
  }

  async find(id: bigint): Promise<Row | undefined> {
    const [found] = await this.rows(sql`WHERE "id" = ${id}`);
    return found;
  }

  /** Returns the rows that exist among these ids, in no order. */
  async findAll(ids: readonly bigint[]): Promise<Row[]> {
    return ids.length === 0 ? [] : this.rows(sql`WHERE "id" ${isOneOf(ids)}`);
  }

  /** Returns one page of the rows that have all given values, ascending by id. */
  page({ limit, after, ...filter }: PageRange & RowFilter<Row>, conditions: readonly SqlFragment[] = []): Promise<Page<Row>> {
    const where = whereAll([...this.conditions(filter), ...conditions, ...afterId(after)]);
    const read = (range: PageRange) => this.rows(sql`${where} ORDER BY "id" LIMIT ${range.limit}`);
    return toPage({ limit }, read, ({ id }) => id);
  }

  /** Returns at most `limit` rows for each value of a member, ascending by id, with one statement. */
  async firstOfEach(member: keyof Row & string, values: readonly bigint[], { limit, after }: PageRange): Promise<Row[]> {
    const { table, projection } = this;
    const { selected } = projection.table;
    const name = identifier(projection.table.columnName(member));
    const where = whereAll([sql`${name} ${isOneOf(values)}`, ...afterId(after)]);
    const rank = sql`row_number() OVER (PARTITION BY ${name} ORDER BY "id") AS "rank"`;
    const ranked = sql`(SELECT ${selected}, ${rank} FROM ${table} ${where}) AS "ranked"`;
    await this.current();
    return projection.table.read(this.database.reader, ranked, sql`WHERE "rank" <= ${limit} ORDER BY "id"`);
  }

  /** Returns the rows that a clause selects, such as `WHERE … ORDER BY … LIMIT …`. */
  protected async rows(clause: SqlFragment): Promise<Row[]> {
    await this.current();
    return this.projection.table.read(this.database.reader, this.table, clause);
  }

  /** Runs a statement over the table. */
  protected async query<Result extends object>(statement: SqlFragment): Promise<Result[]> {
    await this.current();
    return this.database.reader.query<Result>(statement);
  }

  /** Counts the rows that match. */
  async count(filter: RowFilter<Row> = {}): Promise<number> {
    await this.current();
    return this.countWithin(this.database.reader, filter);
  }

  /** Counts in a transaction, with what it has appended. */
  async countWithin(runner: SqlRunner, filter: RowFilter<Row> = {}): Promise<number> {
    const where = whereAll(this.conditions(filter));
    const [found] = await runner.query<{ total: bigint | string }>(sql`SELECT count(*) AS "total" FROM ${this.table} ${where}`);
    return Number(found?.total ?? 0);
  }

  private current(): Promise<bigint> {
    return this.readModels.current(this.projection);
  }

  /** Returns a condition for each value that is given, by the names of the rows' members. */
  protected conditions(filter: object): SqlFragment[] {
    const { table } = this.projection;
    const given = Object.entries(filter).filter(([, value]) => value !== undefined);
    return given.map(([member, value]) => sql`${identifier(table.columnName(member))} = ${table.store(member, value)}`);
  }
}

function afterId(after: bigint | undefined): SqlFragment[] {
  return after === undefined ? [] : [sql`"id" > ${after}`];
}

/** Joins conditions to a WHERE clause; an empty one if there are none. */
export function whereAll(conditions: readonly SqlFragment[]): SqlFragment {
  return conditions.length === 0 ? join([]) : sql`WHERE ${join(conditions, ' AND ')}`;
}
