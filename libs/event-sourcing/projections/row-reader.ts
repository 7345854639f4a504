import DataLoader from 'dataloader';
import { identifier, isAmong, isOneOf, raw, sql, type Database, type SqlFragment, type SqlRunner, whereAll } from '#libs/database';
import type { ReadModels } from './read-models.js';
import { toPage, type Page, type PageRange } from '../event-store/bounded-rows.js';
import { projectionTableName } from './projection.js';
import type { StreamProjection } from './stream-projection.js';

/** Values that a row must have; undefined ones are ignored. */
export type RowFilter<Row> = { readonly [Member in keyof Row]?: Row[Member] | undefined };

/** Which members of rows are read. The fewer, the faster. */
export interface Selection<Member> {
  /** Default: all. The id always. */
  readonly select?: readonly Member[] | undefined;
}

/** The rows that have the same values of some members, in the order of their ids. */
export interface RowRange {
  readonly conditions: readonly SqlFragment[];
  /** Returns the clause for its first rows, such as `ORDER BY "id" LIMIT 21`. */
  readonly first: (limit: number) => SqlFragment;
}

/** Reads the rows of a stream projection, as of the last acknowledged event. A module's reader extends it by its own questions. */
export class RowReader<Row extends { readonly id: bigint }> {
  /** The quoted name of the table. */
  protected readonly table: SqlFragment;
  /** Rows that are asked for in one turn of the event loop are read by one statement. */
  private readonly lookUps = new DataLoader<bigint, Row | undefined>((ids) => this.lookUp(ids), { cache: false, maxBatchSize: 100 });

  constructor(
    protected readonly projection: StreamProjection<Row>,
    protected readonly database: Database,
    private readonly readModels: ReadModels,
  ) {
    this.table = identifier(projectionTableName(projection, projection.table.name));
  }

  async find(id: bigint): Promise<Row | undefined> {
    await this.current();
    return this.lookUps.load(id);
  }

  /** Returns the rows that exist among these ids, in no order. */
  async findAll(ids: readonly bigint[]): Promise<Row[]> {
    return ids.length === 0 ? [] : this.rows(sql`WHERE "id" ${isOneOf(ids)}`);
  }

  /** Returns one page of the rows that have all given values, in the order of their ids. */
  async page<Member extends keyof Row & string = keyof Row & string>(
    { limit, after, descending, select, ...filter }: PageRange & Selection<Member> & RowFilter<Row>,
    conditions: readonly SqlFragment[] = [],
  ): Promise<Page<Pick<Row, Member | 'id'>>> {
    const range = this.range(givenOf(filter), { after, descending });
    const clause = sql`${whereAll([...range.conditions, ...conditions])} ${range.first(limit + 1)}`;
    await this.current();
    return toPage(await this.read(this.table, clause, select), limit, ({ id }) => id);
  }

  /** Returns at most `limit` rows for each value of a member, in the order of their ids, with one statement. */
  async firstOfEach(
    member: keyof Row & string,
    values: readonly bigint[],
    { limit, after, descending }: PageRange,
    conditions: readonly SqlFragment[] = [],
  ): Promise<Row[]> {
    const { table, projection } = this;
    const { selected } = projection.table;
    const name = this.column(member);
    const where = whereAll([sql`${name} ${isOneOf(values)}`, ...conditions, ...afterId(after, descending)]);
    const order = raw(descending ? '"id" DESC' : '"id"');
    const rank = sql`row_number() OVER (PARTITION BY ${name} ORDER BY ${order}) AS "rank"`;
    const ranked = sql`(SELECT ${selected}, ${rank} FROM ${table} ${where}) AS "ranked"`;
    await this.current();
    return projection.table.read(this.database.reader, ranked, sql`WHERE "rank" <= ${limit} ORDER BY ${order}`);
  }

  /** Returns the rows that a clause selects, such as `WHERE … ORDER BY … LIMIT …`. */
  protected async rows(clause: SqlFragment): Promise<Row[]> {
    await this.current();
    return this.projection.table.read(this.database.reader, this.table, clause);
  }

  /** Reads members of rows from the table or from a query of its columns, without bringing the table up to date. */
  protected async read<Member extends keyof Row & string>(
    from: SqlFragment,
    clause: SqlFragment,
    select: readonly Member[] | undefined,
  ): Promise<Pick<Row, Member | 'id'>[]> {
    const { table } = this.projection;
    const found = await (select ? table.only(select) : table).read(this.database.reader, from, clause);
    return found as Pick<Row, Member | 'id'>[];
  }

  /** Runs a statement over the table. */
  protected async query<Result extends object>(statement: SqlFragment): Promise<Result[]> {
    await this.current();
    return this.database.reader.query<Result>(statement);
  }

  /** Counts the rows that match. */
  async count(filter: RowFilter<Row> = {}, conditions: readonly SqlFragment[] = []): Promise<number> {
    await this.current();
    return this.countWithin(this.database.reader, filter, conditions);
  }

  /** Counts in a transaction, with what it has appended. */
  async countWithin(runner: SqlRunner, filter: RowFilter<Row> = {}, conditions: readonly SqlFragment[] = []): Promise<number> {
    const where = whereAll([...this.conditions(filter), ...conditions]);
    const [found] = await runner.query<{ total: bigint | string }>(sql`SELECT count(*) AS "total" FROM ${this.table} ${where}`);
    return Number(found?.total ?? 0);
  }

  private async lookUp(ids: readonly bigint[]): Promise<(Row | undefined)[]> {
    const rows = await this.projection.table.read(this.database.reader, this.table, sql`WHERE "id" ${isAmong(ids)}`);
    const byId = new Map(rows.map((row) => [row.id, row]));
    return ids.map((id) => byId.get(id));
  }

  /** Resolves when the table holds every acknowledged event. */
  protected current(): Promise<bigint> {
    return this.readModels.current(this.projection);
  }

  /**
   * Returns the range of the rows that have all these values, which an index may have.
   * @param shared members and their values, null for one that is absent; if an index has these members, in its order
   */
  protected range(
    shared: readonly (readonly [member: string, value: unknown])[],
    { after, descending }: Pick<PageRange, 'after' | 'descending'>,
  ): RowRange {
    const direction = raw(descending ? 'DESC' : 'ASC');
    const equal = shared.map(([member, value]) => this.equals(member, value));
    const conditions = [...equal, ...afterId(after, descending)];
    const members = shared.map(([member]) => member);
    const isIndexed = this.projection.table.indexes.some((index) => index.join() === [...members, 'id'].join());
    const last = shared.at(-1);
    if (!this.database.dialect.walksPrimaryKey || !isIndexed || !last) {
      return { conditions, first: (limit) => sql`ORDER BY "id" ${direction} LIMIT ${limit}` };
    }
    const [member, value] = last;
    const column = this.column(member);
    // Only the index has this order, if no condition says that the column has one value. So one plan is right for all values, and with the
    // number in the text PostgreSQL keeps it.
    const first = (limit: number) => sql`ORDER BY ${column} ${direction}, "id" ${direction} ${raw(`LIMIT ${limit}`)}`;
    if (value === null) return { conditions, first };
    const stored = this.projection.table.store(member, value);
    const [follows, from, to] = descending ? [raw('<'), raw('<='), raw('>=')] : [raw('>'), raw('>='), raw('<=')];
    const begins = after === undefined ? sql`${column} ${from} ${stored}` : sql`(${column}, "id") ${follows} (${stored}, ${after})`;
    return { conditions: [...equal.slice(0, -1), begins, sql`${column} ${to} ${stored}`], first };
  }

  private equals(member: string, value: unknown): SqlFragment {
    const column = this.column(member);
    return value === null ? sql`${column} IS NULL` : sql`${column} = ${this.projection.table.store(member, value)}`;
  }

  /** Returns the quoted name of a member's column. */
  protected column(member: string): SqlFragment {
    return identifier(this.projection.table.columnName(member));
  }

  /** Returns a condition for each value that is given, by the names of the rows' members. */
  protected conditions(filter: object): SqlFragment[] {
    return givenOf(filter).map(([member, value]) => this.equals(member, value));
  }
}

function givenOf(filter: object): [member: string, value: unknown][] {
  return Object.entries(filter).filter(([, value]) => value !== undefined);
}

function afterId(after: bigint | undefined, descending: boolean | undefined): SqlFragment[] {
  return after === undefined ? [] : [sql`"id" ${raw(descending ? '<' : '>')} ${after}`];
}
