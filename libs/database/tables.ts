import type { SqlRunner } from './database.js';
import type { TableRow } from './dialect.js';
import { identifier, join, raw, row, sql, type SqlFragment } from './sql.js';

/** A table as it stands in a database. */
export interface Table {
  readonly name: string;
  /** In their order. */
  readonly columns: readonly string[];
  /** The columns of its primary key, in their order there. */
  readonly primaryKey: readonly string[];
}

/** The tables of a database, by name; on PostgreSQL those of the schema that new tables go to. */
export async function listTables(runner: SqlRunner): Promise<Table[]> {
  const columns = await runner.query<{ table: string; column: string; key: bigint | number | null }>(runner.dialect.listColumns);
  const names = [...new Set(columns.map(({ table }) => table))];
  return names.map((name) => {
    const own = columns.filter(({ table }) => table === name);
    const keyed = own.flatMap(({ column, key }) => (key === null ? [] : [{ column, place: Number(key) }]));
    return {
      name,
      columns: own.map(({ column }) => column),
      primaryKey: keyed.sort((one, other) => one.place - other.place).map(({ column }) => column),
    };
  });
}

/** All rows of a table in pages, ascending by its primary key; values in the order of `columns`, as the driver gives them. */
export async function* readTable(runner: SqlRunner, { name, columns, primaryKey }: Table, rowsInPage: number): AsyncGenerator<TableRow[]> {
  const order = join(primaryKey.map(identifier));
  const places = primaryKey.map((column) => columns.indexOf(column));
  for (let after: SqlFragment = raw(''); ;) {
    const found = await runner.query<Record<string, TableRow[number]>>(
      sql`SELECT ${join(columns.map(identifier))} FROM ${identifier(name)} ${after} ORDER BY ${order} LIMIT ${rowsInPage}`,
    );
    const page = found.map((each) => columns.map((column) => each[column] ?? null));
    const last = page.at(-1);
    if (!last) return;
    yield page;
    after = sql`WHERE ${row(primaryKey.map(identifier))} > ${row(places.map((place) => last[place] ?? null))}`;
  }
}
