import { isAmong, join, raw, sql, whereAll, type Database, type SqlFragment, type StoredValue } from '#libs/database';
import { ApplicationError } from '#libs/observability';
import {
  countInWalks,
  findInWalks,
  firstOfRanges,
  toPage,
  tooManyRows,
  type BoundedWalk,
  type Page,
  type PageRange,
} from '../event-store/bounded-rows.js';
import { toConditions, type Condition, type Filters, type FilterValues } from './filters.js';
import { listTextIndexes, projectionTableName } from './projection.js';
import type { ReadModels } from './read-models.js';
import { RowReader, type RowRange, type Selection } from './row-reader.js';
import type { StreamProjection } from './stream-projection.js';

/** More ranges of an index than this are not joined. */
const MAX_RANGES = 100;

/** A page of the rows that match filters. */
export interface ListRange<Of extends Filters> extends PageRange {
  readonly filters: FilterValues<Of>;
  /** `time`: by the member of the first time filter, then by id. Default `id`; with a value of a time filter always by time. */
  readonly orderBy?: 'id' | 'time' | undefined;
  /** Whether errors name filters as REST does. Default false: as GraphQL does. */
  readonly namesParameters?: boolean;
}

/** The order of a list, and where in it a page begins. */
interface ListOrder {
  /** A member by which rows are ordered before their id; its values never change. */
  readonly time: string | undefined;
  readonly descending: boolean;
  /** The row after which the page begins. */
  readonly after: { readonly id: bigint; readonly time: unknown } | undefined;
}

interface ListWalk extends BoundedWalk {
  /** The conditions that choose the rows. */
  readonly used: readonly Condition[];
}

type AnyOf = Extract<Condition, { kind: 'any' }>;

/**
 * Reads the rows of a stream projection by declared filters, in both directions of its ids or times: a range of an index if one has the rows
 * that match in their order, else by bounded walks. Never reads a whole table.
 */
export class ListReader<Row extends { readonly id: bigint }, Of extends Filters> extends RowReader<Row> {
  private readonly timeMember: string | undefined;
  /** The names of the text indexes by their columns. */
  private readonly textIndexes = new Map<string, string>();
  private readonly from: SqlFragment;

  constructor(
    projection: StreamProjection<Row>,
    readonly filters: Of,
    database: Database,
    readModels: ReadModels,
  ) {
    super(projection, database, readModels);
    this.timeMember = Object.values<Filters[string]>(filters).find(({ input }) => input.kind === 'time')?.member;
    this.from = sql`SELECT ${projection.table.selected} FROM ${this.table}`;
  }

  /**
   * Returns a page of the rows that match all filters.
   * @throws ApplicationError `invalid_parameter` if more than 100,000 rows would have to be read, naming filters that would help
   */
  async list<Member extends keyof Row & string = keyof Row & string>(
    range: ListRange<Of> & Selection<Member>,
  ): Promise<Page<Pick<Row, Member | 'id'>>> {
    const { limit, after, descending = false, orderBy = 'id', namesParameters = false, filters, select } = range;
    const conditions = toConditions(this.filters, filters);
    const time = orderBy === 'time' ? this.timeMember : this.timeOf(conditions);
    const order = { time, descending, after: await this.place(after, time) };
    await this.prepare(conditions);
    const found = (await this.findFirst(conditions, order, { limit: limit + 1, select })) ?? this.refuse('page', filters, namesParameters);
    return toPage(found, limit, ({ id }) => id);
  }

  /**
   * Counts the rows that match all filters, exactly.
   * @throws ApplicationError `invalid_parameter` if more than 100,000 rows would have to be read, naming filters that would help
   */
  async total({ namesParameters = false, filters }: Pick<ListRange<Of>, 'filters' | 'namesParameters'>): Promise<number> {
    const conditions = toConditions(this.filters, filters);
    await this.prepare(conditions);
    const walks = this.walks(conditions, { time: this.timeOf(conditions), descending: false, after: undefined });
    const where = whereAll(conditions.map((each) => this.toSql(each)));
    return (await countInWalks(this.database.reader, walks, where)) ?? this.refuse('count', filters, namesParameters);
  }

  /** Returns undefined if there may be other rows that belong to the page. */
  private async findFirst<Member extends keyof Row & string>(
    conditions: readonly Condition[],
    order: ListOrder,
    { limit, select }: { readonly limit: number } & Selection<Member>,
  ): Promise<readonly Pick<Row, Member | 'id'>[] | undefined> {
    const { reader } = this.database;
    const walks = this.walks(conditions, order);
    const read = (rows: SqlFragment, clause = raw('')) => this.read(sql`(${rows}) AS "found"`, clause, select);
    const exact = walks.find(({ isOrdered, isExact }) => isOrdered && isExact);
    if (exact) return read(exact.rows(limit));
    const where = whereAll([...conditions.map((each) => this.toSql(each)), ...this.follows(order)]);
    const clause = sql`${where} ${this.orderBy(order)} LIMIT ${limit}`;
    return findInWalks(reader, walks, { limit, read: (rows) => read(rows, clause) });
  }

  /** Brings the table up to date, and looks for text indexes that are needed: again for one that is missing, since a rebuild may have made it. */
  private async prepare(conditions: readonly Condition[]): Promise<void> {
    await this.current();
    if (!conditions.some(({ kind }) => kind === 'contains')) return;
    const indexes = listTextIndexes(this.projection.table, (name) => projectionTableName(this.projection, name));
    for (const index of indexes.filter(({ column }) => !this.textIndexes.has(column))) {
      const found = await this.database.reader.query(this.database.dialect.textSearch.findIndex(index));
      if (found.length > 0) this.textIndexes.set(index.column, index.name);
    }
  }

  /** Returns the ways to find the rows, the most selective first. */
  private walks(conditions: readonly Condition[], order: ListOrder): ListWalk[] {
    const anyOf = new Map(conditions.flatMap((each) => (each.kind === 'any' ? [[each.member, each] as const] : [])));
    const ids = anyOf.get('id');
    if (ids) return [this.unordered([ids])];
    const listed = this.projection.table.indexes.filter((index) => index.at(-1) === 'id');
    const indexes = [['id'], ...listed].sort((one, other) => other.length - one.length);
    const walks = indexes.flatMap((index) => this.byIndex(index, anyOf, { conditions, order }));
    const isBetter = (one: ListWalk, other: ListWalk) =>
      one.isOrdered === other.isOrdered && one.used.length > other.used.length && other.used.every((each) => one.used.includes(each));
    const best = walks.filter((walk) => !walks.some((other) => isBetter(other, walk)));
    return [...conditions.flatMap((each) => this.byText(each, order)), ...best];
  }

  private byText(condition: Condition, { time, descending, after }: ListOrder): ListWalk[] {
    if (condition.kind !== 'contains') return [];
    const { table } = this.projection;
    const { textSearch } = this.database.dialect;
    const column = table.columnName(condition.member);
    const name = this.textIndexes.get(column);
    const index = { name: name ?? '', table: projectionTableName(this.projection, table.name), column };
    const find = name && textSearch.matches(index, String(table.store(condition.member, condition.part)));
    if (!find) return [];
    const isOrdered = textSearch.isOrdered && time === undefined;
    const rows = (limit: number) => {
      const range = { after: isOrdered ? after?.id : undefined, descending, limit };
      return sql`${this.from} WHERE ${find(range)} LIMIT ${limit}`;
    };
    return [{ rows, isOrdered, isExact: false, used: [condition] }];
  }

  /** An index helps if there are conditions on all its members but those that rows are ordered by. */
  private byIndex(
    index: readonly string[],
    anyOf: ReadonlyMap<string, AnyOf>,
    { conditions, order }: { readonly conditions: readonly Condition[]; readonly order: ListOrder },
  ): ListWalk[] {
    const columns = order.time === undefined ? ['id'] : [order.time, 'id'];
    const isOrdered = columns.join() === index.slice(-columns.length).join();
    const members = index.slice(0, isOrdered ? -columns.length : -1);
    const used = members.flatMap((member) => anyOf.get(member) ?? []);
    if (used.length < members.length) return [];
    // Of two values of a flag, one may be that of nearly all rows.
    const isSelective = used.some(({ values }) => values.some((value) => typeof value !== 'boolean'));
    if (!isOrdered) return isSelective ? [this.unordered(used)] : [];
    const combined = combinations(used);
    if (combined.length > MAX_RANGES) return [];
    const inOrder = conditions.filter(({ kind, member }) => (kind === 'since' || kind === 'before') && member === order.time);
    const ofRange = [...inOrder.map((each) => this.toSql(each)), ...this.follows(order)];
    const first = (bound: number) => sql`${this.orderBy(order)} LIMIT ${bound}`;
    const ranges = combined.map((values): RowRange => {
      if (order.time !== undefined) return { conditions: [...values.map((each) => this.toSql(each)), ...ofRange], first };
      const shared = values.map(({ member, values: [value] }) => [member, value] as const);
      return this.range(shared, { after: order.after?.id, descending: order.descending });
    });
    const rows = (bound: number) => this.firstOf(ranges, first(bound), bound);
    return [{ used, rows, isOrdered, isExact: used.length + inOrder.length === conditions.length }];
  }

  /** Returns a query of the first rows of ranges whose indexes have the order. */
  private firstOf(ranges: readonly RowRange[], ofAll: SqlFragment, bound: number): SqlFragment {
    const isMerged = this.database.dialect.mergesUnions;
    const queries = ranges.map(({ conditions, first }) => {
      const range = sql`${this.from} ${whereAll(conditions)}`;
      return isMerged ? range : sql`${range} ${first(bound)}`;
    });
    return isMerged ? sql`${join(queries, ' UNION ALL ')} ${ofAll}` : firstOfRanges(queries, ofAll);
  }

  private unordered(used: readonly Condition[]): ListWalk {
    const where = whereAll(used.map((condition) => this.toSql(condition)));
    return { used, rows: (bound) => sql`${this.from} ${where} LIMIT ${bound}`, isOrdered: false, isExact: false };
  }

  private orderColumns({ time }: ListOrder): SqlFragment[] {
    return [...(time === undefined ? [] : [this.column(time)]), raw('"id"')];
  }

  private orderBy(order: ListOrder): SqlFragment {
    const direction = raw(order.descending ? ' DESC' : ' ASC');
    return sql`ORDER BY ${join(this.orderColumns(order).map((column) => sql`${column}${direction}`))}`;
  }

  /** Returns the condition that a row follows the one after which the page begins. */
  private follows(order: ListOrder): SqlFragment[] {
    const { time, descending, after } = order;
    if (!after) return [];
    const values = [...(time === undefined ? [] : [this.projection.table.store(time, after.time)]), after.id];
    return [sql`(${join(this.orderColumns(order))}) ${raw(descending ? '<' : '>')} (${join(values)})`];
  }

  private toSql(condition: Condition): SqlFragment {
    const { table } = this.projection;
    const column = this.column(condition.member);
    switch (condition.kind) {
      case 'any':
        return this.isAnyOf(column, condition);
      case 'present':
        return sql`${column} IS NOT NULL`;
      case 'contains':
        return this.database.dialect.textSearch.contains(column, String(table.store(condition.member, condition.part)));
      case 'since':
      case 'before':
        return sql`${column} ${raw(condition.kind === 'since' ? '>=' : '<')} ${table.store(condition.member, condition.time)}`;
    }
  }

  private isAnyOf(column: SqlFragment, { member, values }: AnyOf): SqlFragment {
    const stored = values.flatMap((value): StoredValue[] => (value === null ? [] : [this.projection.table.store(member, value)]));
    const isStored = sql`${column} ${isAmong(stored)}`;
    if (stored.length === values.length) return isStored;
    return stored.length === 0 ? sql`${column} IS NULL` : sql`(${isStored} OR ${column} IS NULL)`;
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

function combinations([first, ...others]: readonly AnyOf[]): AnyOf[][] {
  if (!first) return [[]];
  const rest = combinations(others);
  return [...new Set(first.values)].flatMap((value) => rest.map((each) => [{ ...first, values: [value] }, ...each]));
}
