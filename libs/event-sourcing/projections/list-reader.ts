import { raw, sql, type Database, type SqlFragment } from '#libs/database';
import { ApplicationError } from '#libs/observability';
import { countRows, findInGrowingBounds, MAX_ROWS, tooManyRows } from '../event-store/bounded-rows.js';
import { ListStatements, type ListOrder } from './access-paths.js';
import { toConditions, type Condition, type Filters, type FilterValues } from './filters.js';
import type { ReadModels } from './read-models.js';
import { toPage, type Page, type PageRange } from '../event-store/page.js';
import { listTextIndexes, projectionTableName } from './projection.js';
import { RowReader } from './row-reader.js';
import type { StreamProjection } from './stream-projection.js';

/** A page of the rows that match filters. */
export interface ListRange<Of extends Filters> extends PageRange {
  readonly filters: FilterValues<Of>;
  /** `time`: by the member of the first time filter, then by id. Default `id`; with a value of a time filter always by time. */
  readonly orderBy?: 'id' | 'time' | undefined;
  /** Whether errors name filters as REST does. Default false: as GraphQL does. */
  readonly namesParameters?: boolean;
}

/** Reads the rows of a stream projection by declared filters, in both directions of its ids or times. Never reads a whole table. */
export class ListReader<Row extends { readonly id: bigint }, Of extends Filters> extends RowReader<Row> {
  private readonly timeMember: string | undefined;
  private readonly textIndexes = new Map<string, string>();

  constructor(
    projection: StreamProjection<Row>,
    readonly filters: Of,
    database: Database,
    readModels: ReadModels,
  ) {
    super(projection, database, readModels);
    this.timeMember = Object.values<Filters[string]>(filters).find(({ input }) => input.kind === 'time')?.member;
  }

  /**
   * Returns a page of the rows that match all filters.
   * @throws ApplicationError `invalid_parameter` if more than 100,000 rows would have to be read, naming filters that would help
   */
  async list({ limit, after, descending = false, orderBy = 'id', namesParameters = false, filters }: ListRange<Of>): Promise<Page<Row>> {
    const conditions = toConditions(this.filters, filters);
    const time = orderBy === 'time' ? this.timeMember : this.timeOf(conditions);
    const statements = await this.statements(conditions, { time, descending, after: await this.place(after, time) });
    const found = (await this.findFirst(statements, limit + 1)) ?? this.refuse('page', filters, namesParameters);
    return toPage(found, limit, ({ id }) => id);
  }

  /**
   * Counts the rows that match all filters, exactly.
   * @throws ApplicationError `invalid_parameter` if more than 100,000 rows would have to be read, naming filters that would help
   */
  async total({ namesParameters = false, filters }: Pick<ListRange<Of>, 'filters' | 'namesParameters'>): Promise<number> {
    const conditions = toConditions(this.filters, filters);
    const statements = await this.statements(conditions, { time: this.timeOf(conditions), descending: false, after: undefined });
    for (const { rows } of statements.paths()) {
      if ((await this.countRows(rows(MAX_ROWS + 1))) <= MAX_ROWS) return this.countRows(rows(MAX_ROWS), statements.match(MAX_ROWS));
    }
    return this.refuse('count', filters, namesParameters);
  }

  /** Returns undefined if there may be other rows that belong to the page. */
  private async findFirst(statements: ListStatements, limit: number): Promise<readonly Row[] | undefined> {
    const paths = statements.paths();
    const exact = paths.find(({ isExact }) => isExact);
    if (exact) return this.read(exact.rows(limit));
    const searches = paths.map(({ rows, isOrdered }) => ({
      isOrdered,
      read: (bound: number) => this.read(rows(bound), statements.match(limit)),
      count: (bound: number) => this.countRows(rows(bound)),
    }));
    return findInGrowingBounds(limit, searches);
  }

  private async read(rows: SqlFragment, clause: SqlFragment = raw('')): Promise<Row[]> {
    const { table } = this.projection;
    return table.read(this.database.reader, sql`(${rows}) AS "found"`, clause);
  }

  private countRows(rows: SqlFragment, clause: SqlFragment = raw('')): Promise<number> {
    const matching = sql`SELECT ${this.projection.table.selected} FROM (${rows}) AS "found" ${clause}`;
    return countRows(this.database.reader, matching);
  }

  private async statements(conditions: readonly Condition[], order: ListOrder): Promise<ListStatements> {
    await this.current();
    const { table } = this.projection;
    const { dialect } = this.database;
    const name = projectionTableName(this.projection, table.name);
    if (conditions.some(({ kind }) => kind === 'contains')) await this.findTextIndexes();
    return new ListStatements({ name, table, dialect, textIndexes: this.textIndexes }, conditions, order);
  }

  /** One that is missing is looked for each time, since a rebuild may have made it. */
  private async findTextIndexes(): Promise<void> {
    const indexes = listTextIndexes(this.projection.table, (name) => projectionTableName(this.projection, name));
    for (const index of indexes.filter(({ column }) => !this.textIndexes.has(column))) {
      const found = await this.database.reader.query(this.database.dialect.textSearch.findIndex(index));
      if (found.length > 0) this.textIndexes.set(index.column, index.name);
    }
  }

  /** Only in the order of times is a range of them read from an index. */
  private timeOf(conditions: readonly Condition[]): string | undefined {
    return conditions.find(({ kind, member }) => (kind === 'since' || kind === 'before') && member === this.timeMember)?.member;
  }

  private async place(after: bigint | undefined, time: string | undefined): Promise<ListOrder['after']> {
    if (after === undefined || time === undefined) return after === undefined ? undefined : { id: after, time };
    const row = await this.find(after);
    if (row) return { id: after, time: Reflect.get(row, time) };
    throw new ApplicationError(
      'invalid_parameter',
      `The item ${after}, after which the page begins, is no longer in this list; begin with the first page.`,
    );
  }

  private refuse(what: 'page' | 'count', values: object, namesParameters: boolean): never {
    const given = new Set(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [name])));
    const { indexes, searched } = this.projection.table;
    const helping = Object.entries<Filters[string]>(this.filters).filter(
      ([name, { member }]) => !given.has(name) && (searched.includes(member) || indexes.some((index) => index.includes(member))),
    );
    const names = helping.flatMap(([name, { parameter }]) => (namesParameters ? (parameter ?? []) : name));
    throw tooManyRows(what, 'rows', `${[...new Set(names)].join(', ')} or by other values`);
  }
}
