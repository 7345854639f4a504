/** A piece of SQL with its values kept apart; a dialect turns it into text and parameters. */
export class SqlFragment {
  constructor(
    readonly strings: readonly string[],
    readonly values: readonly unknown[],
    /** The text, where it is known; a dialect's own. */
    readonly text?: string,
  ) {}

  /** A whole statement that a dialect has rendered itself. */
  static rendered(text: string, values: readonly unknown[]): SqlFragment {
    return new SqlFragment([], values, text);
  }
}

/** The text and the positional parameters that a driver takes. */
interface SqlStatement {
  readonly text: string;
  readonly parameters: unknown[];
}

/** A list of values as one parameter, however many there are. */
class ValueList {
  constructor(readonly values: readonly (string | number | bigint)[]) {}
}

/** How a database writes what differs in statements. */
export interface SqlSyntax {
  /** The n-th bound parameter of a statement, counted from 1. */
  readonly placeholder: (index: number) => string;
  /** The condition that what stands before it is one of the values of a list, which is the parameter at the placeholder. */
  readonly isOneOf: (placeholder: string) => string;
  /** A list of values as the driver takes it. */
  readonly listOf: (values: readonly (string | number | bigint)[]) => unknown;
}

type SqlValue = string | number | bigint | null | SqlFragment | ValueList;

/** Builds a statement. Values become bound parameters; nested fragments are spliced in. */
export function sql(strings: TemplateStringsArray, ...values: SqlValue[]): SqlFragment {
  return new SqlFragment(strings, values);
}

/** A table or column name, quoted. */
export function identifier(name: string): SqlFragment {
  return raw(`"${name.replaceAll('"', '""')}"`);
}

/** SQL text taken as it is. Never pass anything that came from outside the code. */
export function raw(text: string): SqlFragment {
  return new SqlFragment([text], []);
}

/** Joins values or fragments with a separator (default `, `). An empty list gives an empty fragment. */
export function join(items: readonly SqlValue[], separator = ', '): SqlFragment {
  if (items.length === 0) return raw('');
  return new SqlFragment(['', ...Array<string>(items.length - 1).fill(separator), ''], items);
}

/**
 * The condition that what stands before it is one of these values, as in `WHERE "id" ${isOneOf(ids)}`: the same text for lists of any
 * length. No list is too long; nothing is one of an empty one.
 */
export function isOneOf(values: readonly (string | number | bigint)[]): SqlFragment {
  return new SqlFragment(['', ''], [new ValueList(values)]);
}

/** One parenthesised row of values. */
export function row(values: readonly SqlValue[]): SqlFragment {
  return sql`(${join(values)})`;
}

/** The text and the parameters of a fragment for one database. */
export function render(fragment: SqlFragment, syntax: SqlSyntax): SqlStatement {
  if (fragment.text !== undefined) return { text: fragment.text, parameters: [...fragment.values] };
  const parameters: unknown[] = [];
  const text = renderInto(fragment, parameters, syntax);
  return { text, parameters };
}

function renderInto(fragment: SqlFragment, parameters: unknown[], syntax: SqlSyntax): string {
  let text = fragment.strings[0] ?? '';
  fragment.values.forEach((value, index) => {
    if (value instanceof SqlFragment) text += renderInto(value, parameters, syntax);
    else if (value instanceof ValueList) text += syntax.isOneOf(syntax.placeholder(parameters.push(syntax.listOf(value.values))));
    else text += syntax.placeholder(parameters.push(value));
    text += fragment.strings[index + 1] ?? '';
  });
  return text;
}

/** What differs between the databases, in one place. */
export interface Dialect extends SqlSyntax {
  readonly name: 'sqlite' | 'postgres';
  /** Column types of projection tables and migrations. */
  readonly columnTypes: { readonly int64: string; readonly text: string };
  /** Statements that make the log append-only; run once by a migration. */
  readonly appendOnlyLog: readonly string[];
  /** Lists the tables: one row for each column, in their order; `key` is its place in the primary key, null where it has none. */
  readonly listColumns: SqlFragment;
  /** One row for each `application_name` of the sessions of this database: `name`, `connections` and `since`; undefined for a file. */
  readonly listSessions: SqlFragment | undefined;
  /** A statement of a transaction that leaves everything as it is, and needs room on the disk. */
  readonly changesNothing: SqlFragment;
  /**
   * What the log of this server and database is known by, as an SQL expression for a write transaction: another text after a failover and
   * after a restore on another server. The same for every file.
   */
  readonly logIdentity: SqlFragment;
  /** The statements that insert rows, in order. */
  readonly insertStatements: (insert: RowInsert) => SqlFragment[];
  /** What the database and its tables take. Costs an instant, however large they are. */
  readonly storageSize: (run: RunStatement) => Promise<StorageSize>;
}

/** The values of a row. */
export type TableRow = readonly (string | number | bigint | null)[];

export interface RowInsert {
  /** Quoted table name. */
  readonly table: SqlFragment;
  readonly columns: readonly string[];
  /** One list of values a row, in the order of `columns`. */
  readonly rows: readonly TableRow[];
  /** What follows the rows, such as `ON CONFLICT ("id") DO UPDATE SET …`. */
  readonly suffix?: SqlFragment;
}

/** Runs a statement on some connection. */
export type RunStatement = <Row extends object>(statement: SqlFragment) => Promise<Row[]>;

/** What a table takes. */
interface TableSize {
  readonly table: string;
  /** At most a look at an index or at the planner's figures, so no more than close to the truth; undefined where it is not known. */
  readonly rows: number | undefined;
  /** With its indexes; undefined where it cannot be told without reading the whole file. */
  readonly bytes: number | undefined;
}

/** What the database takes, as far as it can be told in an instant however large it is. */
export interface StorageSize {
  readonly bytes: number;
  readonly tables: readonly TableSize[];
}
