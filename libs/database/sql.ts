/** A piece of SQL with its values kept apart; a dialect turns it into text and parameters. */
export class SqlFragment {
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
    /** The text, if a dialect has rendered it. */
    readonly text?: string,
  ) {}

  /** A whole statement that a dialect has rendered itself. */
  static rendered(text: string, values: readonly unknown[]): SqlFragment {
    return new SqlFragment([], values, text);
  }
}

/** A list of values as one parameter, however many there are. */
class ValueList {
  constructor(readonly values: readonly (string | number | bigint)[]) {}
}

type SqlValue = string | number | bigint | null | SqlFragment | ValueList;

/** Builds a statement. Values become bound parameters; nested fragments are spliced in. */
export function sql(strings: TemplateStringsArray, ...values: SqlValue[]): SqlFragment {
  return new SqlFragment(strings, values);
}

/** Quotes a table or column name. */
export function identifier(name: string): SqlFragment {
  return raw(`"${name.replaceAll('"', '""')}"`);
}

/** Uses SQL text as it is. Never pass text from outside the code. */
export function raw(text: string): SqlFragment {
  return new SqlFragment([text], []);
}

/** Joins values or fragments with a separator (default `, `). An empty list gives an empty fragment. */
export function join(items: readonly SqlValue[], separator = ', '): SqlFragment {
  if (items.length === 0) return raw('');
  return new SqlFragment(['', ...Array<string>(items.length - 1).fill(separator), ''], items);
}

/**
 * Returns a condition that the operand before it is one of these values, as in `WHERE "id" ${isOneOf(ids)}`. The text is the same for lists
 * of any length.
 */
export function isOneOf(values: readonly (string | number | bigint)[]): SqlFragment {
  return new SqlFragment(['', ''], [new ValueList(values)]);
}

/** The same, with `=` for one value, so that it is prepared and keeps the order of an index. */
export function isAmong(values: readonly (string | number | bigint)[]): SqlFragment {
  const [only, ...others] = values;
  return only !== undefined && others.length === 0 ? sql`= ${only}` : isOneOf(values);
}

/** Returns a parenthesised row of values. */
export function row(values: readonly SqlValue[]): SqlFragment {
  return sql`(${join(values)})`;
}

/** In the text of a statement that is planned for its values each time. */
export const PLANNED_FOR_VALUES = '/* planned for its values */';

/**
 * Has PostgreSQL plan the statement that this becomes a part of for its values each time, since its cost depends on them: the plan for any
 * values that it would keep after a few times may read a whole table for rows that an index finds.
 */
export function plannedForValues(query: SqlFragment): SqlFragment {
  return sql`${query} ${raw(PLANNED_FOR_VALUES)}`;
}

/** Joins conditions to a WHERE clause; an empty one if there are none. */
export function whereAll(conditions: readonly SqlFragment[]): SqlFragment {
  return conditions.length === 0 ? join([]) : sql`WHERE ${join(conditions, ' AND ')}`;
}

/** Renders a fragment for a database. */
export function render(fragment: SqlFragment, dialect: Dialect): { readonly text: string; readonly parameters: unknown[] } {
  if (fragment.text !== undefined) return { text: fragment.text, parameters: [...fragment.values] };
  const parameters: unknown[] = [];
  const text = renderInto(fragment, parameters, dialect);
  return { text, parameters };
}

function renderInto(fragment: SqlFragment, parameters: unknown[], syntax: Dialect): string {
  let text = fragment.strings[0] ?? '';
  fragment.values.forEach((value, index) => {
    if (value instanceof SqlFragment) text += renderInto(value, parameters, syntax);
    else if (value instanceof ValueList) text += syntax.isOneOf(syntax.placeholder(parameters.push(syntax.toListParameter(value.values))));
    else text += syntax.placeholder(parameters.push(value));
    text += fragment.strings[index + 1] ?? '';
  });
  return text;
}

/** All that differs between the databases. */
export interface Dialect {
  readonly name: 'sqlite' | 'postgres';
  /** The n-th bound parameter of a statement, counted from 1. */
  readonly placeholder: (index: number) => string;
  /** A condition that the operand before it is in the list at the placeholder. */
  readonly isOneOf: (placeholder: string) => string;
  /** Whether it merges the queries of a UNION ALL that an index has in its order, so that none of them is read to its end for a few rows. */
  readonly mergesUnions: boolean;
  /**
   * Whether it may walk all rows in the order of their ids, expecting to meet matching ones soon, though an index has these in that order.
   */
  readonly walksPrimaryKey: boolean;
  /** Converts a list for the driver. */
  readonly toListParameter: (values: readonly (string | number | bigint)[]) => unknown;
  /** Column types of projection tables and migrations. */
  readonly columnTypes: { readonly int64: string; readonly text: string };
  /** Statements that define the check of an append's order, also where it was defined before; run by a migration. */
  readonly orderCheck: readonly string[];
  /** Statements that make the log append-only; run once by a migration. */
  readonly appendOnlyLog: readonly string[];
  /** Returns a query that has a row if the table exists. */
  readonly findTable: (name: string) => SqlFragment;
  /** Lists columns in order; `key` is the place in the primary key or null. */
  readonly listColumns: SqlFragment;
  /** Lists the `application_name` of each session as `name`; undefined for a file. */
  readonly listSessions: SqlFragment | undefined;
  /** A write that changes nothing and needs free disk space. */
  readonly noOpWrite: SqlFragment;
  /**
   * An SQL expression that identifies server and database, for a write transaction: it changes with a failover and with a restore on another
   * server. The same for every file.
   */
  readonly logIdentity: SqlFragment;
  /** Returns statements that insert rows, in order. */
  readonly insertStatements: (insert: RowInsert) => SqlFragment[];
  /** Reads sizes at a cost that does not grow with them. */
  readonly storageSize: (run: RunStatement) => Promise<StorageSize>;
  readonly textSearch: TextSearch;
}

/** An index of the parts of the texts in a column. Its table has a column `id`. */
export interface TextIndex {
  readonly name: string;
  readonly table: string;
  readonly column: string;
}

/** How rows are found by a part of a text. */
export interface TextSearch {
  /** Whether an index is a table, so that it is renamed and dropped as one. */
  readonly isTable: boolean;
  /** Returns a condition that a text contains a part, character by character. */
  readonly contains: (text: SqlFragment, part: string) => SqlFragment;
  /** Statements by which the server offers text indexes, if it can and the role may do that; run once by a migration. */
  readonly preparation: readonly string[];
  /** Returns statements that create an index, which the database keeps up to date. Nothing is created if the server does not offer it. */
  readonly createIndex: (index: TextIndex) => SqlFragment[];
  /** Returns a query that has a row if the index exists. */
  readonly findIndex: (index: TextIndex) => SqlFragment;
  /** Whether an index gives rows in the order of their ids. */
  readonly isOrdered: boolean;
  /**
   * Returns a condition of rows of which the index knows that they may contain the part; undefined if the index does not help. Of an ordered
   * index it holds for the first rows of a range only.
   */
  readonly matches: (index: TextIndex, part: string) => ((range: IdRange) => SqlFragment) | undefined;
}

/** The ids after one, in an order. */
export interface IdRange {
  readonly after: bigint | undefined;
  readonly descending: boolean;
  readonly limit: number;
}

export type TableRow = readonly (string | number | bigint | null)[];

export interface RowInsert {
  /** Quoted table name. */
  readonly table: SqlFragment;
  readonly columns: readonly string[];
  /** One list of values a row, in the order of `columns`. */
  readonly rows: readonly TableRow[];
  /** SQL after the rows, such as `ON CONFLICT ("id") DO UPDATE SET …`. */
  readonly suffix?: SqlFragment;
}

export type RunStatement = <Row extends object>(statement: SqlFragment) => Promise<Row[]>;

interface TableSize {
  readonly table: string;
  /** An estimate; undefined if unknown. */
  readonly rows: number | undefined;
  /** With indexes; undefined if only a scan of the file would tell. */
  readonly bytes: number | undefined;
}

export interface StorageSize {
  readonly bytes: number;
  /** Of a log beside the database file; undefined on a server. */
  readonly writeAheadLogBytes: number | undefined;
  readonly tables: readonly TableSize[];
}
