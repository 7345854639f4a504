import type { Database, SqlRunner } from './database.js';
import { type EntityClass, entityTable } from './entities/entity-table.js';
import { type TableRow, identifier, join, raw, row, sql, type SqlFragment } from './sql.js';

/** A table of a database, with its columns and those of its primary key in their order. */
export interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  readonly primaryKey: readonly string[];
}

/** Lists the tables of a database by name; on PostgreSQL those of the schema for new tables. */
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

/** Reads all rows of a table in pages, ascending by its primary key; values in the order of `columns`, as the driver gives them. */
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

/** How long a module keeps the rows of one of its tables, which are no facts of the domain. */
export interface RetentionRule {
  readonly entity: EntityClass;
  /** The member with the start of a row's retention; a row without it stays. */
  readonly since: string;
  /** Milliseconds. */
  readonly keepFor: number;
}

interface OldRows extends Omit<RetentionRule, 'keepFor'> {
  readonly before: Date;
  readonly limit: number;
}

/** Deletes rows since before a moment, oldest first, in one write transaction. Returns how many. Takes no lock if there are none. */
export async function deleteOldest(database: Database, { entity, since, before, limit }: OldRows): Promise<number> {
  const table = entityTable(entity);
  const [name, keyColumns, time] = [table.quoted, join(table.primaryKey.map(identifier)), identifier(table.columnName(since))];
  const old = sql`SELECT ${keyColumns} FROM ${name} WHERE ${time} < ${before.getTime()} ORDER BY ${time} LIMIT ${limit}`;
  if ((await database.reader.query(old)).length === 0) return 0;
  const deleted = await database.transaction((transaction) =>
    transaction.query(sql`DELETE FROM ${name} WHERE (${keyColumns}) IN (${old}) RETURNING ${keyColumns}`),
  );
  return deleted.length;
}
