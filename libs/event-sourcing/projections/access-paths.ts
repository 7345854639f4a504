import { identifier, isOneOf, join, raw, sql, type Dialect, type SqlFragment, type StoredValue, whereAll } from '#libs/database';
import { firstOfRanges } from '../event-store/bounded-rows.js';
import type { Condition } from './filters.js';
import type { StreamTable } from './stream-projection.js';

/** More ranges of an index than this are not joined. */
const MAX_RANGES = 100;

/** The order of a list, and where in it a page begins. */
export interface ListOrder {
  /** A member by which rows are ordered before their id; its values never change. */
  readonly time: string | undefined;
  readonly descending: boolean;
  /** The row after which the page begins. */
  readonly after: { readonly id: bigint; readonly time: unknown } | undefined;
}

/** A way to find the rows of a list without reading all of them. */
export interface AccessPath {
  /** Returns a query of at most `bound` rows, among which are the first ones that match. */
  readonly rows: (bound: number) => SqlFragment;
  /** Whether it gives rows in the order of the list, so that it need not give all. */
  readonly isOrdered: boolean;
  /** Whether it gives the rows that match and no other, in order. */
  readonly isExact: boolean;
  /** The conditions that choose the rows. */
  readonly used: readonly Condition[];
}

interface ListTable {
  /** The name of the table in the database. */
  readonly name: string;
  readonly table: StreamTable<{ readonly id: bigint }>;
  readonly dialect: Dialect;
  /** The names of its text indexes by their columns. */
  readonly textIndexes: ReadonlyMap<string, string>;
}

type AnyOf = Extract<Condition, { kind: 'any' }>;

/** The statements of a list with conditions and an order. */
export class ListStatements {
  private readonly from: SqlFragment;
  private readonly orderBy: SqlFragment;
  private readonly after: readonly SqlFragment[];

  constructor(
    private readonly list: ListTable,
    private readonly conditions: readonly Condition[],
    private readonly order: ListOrder,
  ) {
    const columns = [...(order.time === undefined ? [] : [this.column(order.time)]), raw('"id"')];
    const direction = raw(order.descending ? ' DESC' : ' ASC');
    this.from = sql`SELECT ${list.table.selected} FROM ${identifier(list.name)}`;
    this.orderBy = sql`ORDER BY ${join(columns.map((column) => sql`${column}${direction}`))}`;
    this.after = this.createAfter(columns);
  }

  /** The clause of the rows for which all conditions hold, in order. */
  match(limit: number): SqlFragment {
    return sql`${whereAll([...this.conditions.map((each) => this.toSql(each)), ...this.after])} ${this.orderBy} LIMIT ${limit}`;
  }

  /** Returns the ways to find the rows, the most selective first. */
  paths(): AccessPath[] {
    const anyOf = new Map(this.conditions.flatMap((each) => (each.kind === 'any' ? [[each.member, each] as const] : [])));
    const ids = anyOf.get('id');
    const listed = this.list.table.indexes.filter((index) => index.at(-1) === 'id');
    const indexes = [['id'], ...listed].sort((one, other) => other.length - one.length);
    const byIndex = indexes.flatMap((index) => this.byIndex(index, anyOf));
    const isBetter = (one: AccessPath, other: AccessPath) =>
      one.isOrdered === other.isOrdered &&
      one.used.length > other.used.length &&
      other.used.every((condition) => one.used.includes(condition));
    const best = byIndex.filter((path) => !byIndex.some((other) => isBetter(other, path)));
    return ids ? [this.unordered([ids])] : [...this.searches(), ...best];
  }

  private createAfter(columns: readonly SqlFragment[]): SqlFragment[] {
    const { time, descending, after } = this.order;
    if (!after) return [];
    const values = [...(time === undefined ? [] : [this.list.table.store(time, after.time)]), after.id];
    return [sql`(${join(columns)}) ${raw(descending ? '<' : '>')} (${join(values)})`];
  }

  private searches(): AccessPath[] {
    const { dialect, textIndexes, name: table } = this.list;
    const { time, descending, after } = this.order;
    const isOrdered = dialect.textSearch.isOrdered && time === undefined;
    return this.conditions.flatMap((condition) => {
      if (condition.kind !== 'contains') return [];
      const column = this.list.table.columnName(condition.member);
      const name = textIndexes.get(column);
      const part = String(this.list.table.store(condition.member, condition.part));
      const find = name === undefined ? undefined : dialect.textSearch.matches({ name, table, column }, part);
      if (!find) return [];
      const rows = (limit: number) => {
        const range = { after: isOrdered ? after?.id : undefined, descending, limit };
        return sql`${this.from} WHERE ${find(range)} LIMIT ${limit}`;
      };
      return [{ rows, isOrdered, isExact: false, used: [condition] }];
    });
  }

  /** An index helps if there are conditions on all its members but those that rows are ordered by. */
  private byIndex(index: readonly string[], anyOf: ReadonlyMap<string, AnyOf>): AccessPath[] {
    const { time } = this.order;
    const order = time === undefined ? ['id'] : [time, 'id'];
    const isOrdered = order.join() === index.slice(-order.length).join();
    const members = index.slice(0, isOrdered ? -order.length : -1);
    const used = members.flatMap((member) => anyOf.get(member) ?? []);
    if (used.length < members.length) return [];
    // Of two values of a flag, one may be that of nearly all rows.
    const isSelective = used.some(({ values }) => values.some((value) => typeof value !== 'boolean'));
    if (!isOrdered) return isSelective ? [this.unordered(used)] : [];
    return used.reduce((count, { values }) => count * values.length, 1) > MAX_RANGES ? [] : [this.ordered(used)];
  }

  private unordered(used: readonly Condition[]): AccessPath {
    const where = whereAll(used.map((condition) => this.toSql(condition)));
    return { used, rows: (bound) => sql`${this.from} ${where} LIMIT ${bound}`, isOrdered: false, isExact: false };
  }

  /** Reads a range of the index for each combination of values. */
  private ordered(used: readonly AnyOf[]): AccessPath {
    const inOrder = this.conditions.filter(({ kind, member }) => (kind === 'since' || kind === 'before') && member === this.order.time);
    const ofRange = [...inOrder.map((condition) => this.toSql(condition)), ...this.after];
    const ranges = combinations(used).map(
      (values) => sql`${this.from} ${whereAll([...values.map((each) => this.toSql(each)), ...ofRange])}`,
    );
    const rows = (bound: number) => firstOfRanges(ranges, this.orderBy, bound);
    return { used, rows, isOrdered: true, isExact: used.length + inOrder.length === this.conditions.length };
  }

  private toSql(condition: Condition): SqlFragment {
    const column = this.column(condition.member);
    switch (condition.kind) {
      case 'any':
        return this.isAnyOf(column, condition);
      case 'present':
        return sql`${column} IS NOT NULL`;
      case 'contains':
        return this.list.dialect.textSearch.contains(column, String(this.list.table.store(condition.member, condition.part)));
      case 'since':
        return sql`${column} >= ${this.list.table.store(condition.member, condition.time)}`;
      case 'before':
        return sql`${column} < ${this.list.table.store(condition.member, condition.time)}`;
    }
  }

  private isAnyOf(column: SqlFragment, { member, values }: AnyOf): SqlFragment {
    const stored = values.flatMap((value): StoredValue[] => (value === null ? [] : [this.list.table.store(member, value)]));
    const [only] = stored;
    const isStored = stored.length === 1 && only !== undefined ? sql`${column} = ${only}` : sql`${column} ${isOneOf(stored)}`;
    if (stored.length === values.length) return isStored;
    return stored.length === 0 ? sql`${column} IS NULL` : sql`(${isStored} OR ${column} IS NULL)`;
  }

  private column(member: string): SqlFragment {
    return identifier(this.list.table.columnName(member));
  }
}

function combinations([first, ...others]: readonly AnyOf[]): AnyOf[][] {
  if (!first) return [[]];
  const rest = combinations(others);
  return [...new Set(first.values)].flatMap((value) => rest.map((each) => [{ ...first, values: [value] }, ...each]));
}
