import {
  identifier,
  insertRows,
  listTables,
  readTable,
  sql,
  type Database,
  type SqlRunner,
  type Table,
  type TableRow,
} from '#libs/database';
import { LEASES_TABLE, findDerivedTables } from '#libs/event-sourcing';

/** Rows read, and written in one transaction, at once: few enough for the memory, many enough for a commit not to matter. */
export const ROWS_IN_PAGE = 2_000;

/** The log is copied event by event, and each database keeps its own list of migrations and has instances of its own. */
const NOT_COPIED_AS_A_WHOLE = ['events', 'migrations', LEASES_TABLE];

/**
 * Lists the tables beside the log that are no projections: counters, keys, last use, progress. Looks in the database, so that no module's
 * table is forgotten.
 */
export async function listPlainTables(source: SqlRunner): Promise<Table[]> {
  const isDerived = await findDerivedTables(source);
  return (await listTables(source)).filter(({ name }) => !NOT_COPIED_AS_A_WHOLE.includes(name) && !isDerived(name));
}

/** Returns the names of the tables whose rows differ between both sides. */
export async function findDifferingTables(source: SqlRunner, target: SqlRunner, tables: readonly Table[]): Promise<string[]> {
  const differing: string[] = [];
  for (const table of tables) {
    if (!(await holdSameRows(readTable(source, table, ROWS_IN_PAGE), readTable(target, table, ROWS_IN_PAGE)))) differing.push(table.name);
  }
  return differing;
}

/** Replaces the target's rows by the source's, in all tables or in none. */
export async function replaceTables(source: SqlRunner, target: Database, tables: readonly Table[]): Promise<void> {
  await target.write(async (transaction) => {
    for (const table of tables) {
      await transaction.query(sql`DELETE FROM ${identifier(table.name)}`);
      for await (const rows of readTable(source, table, ROWS_IN_PAGE)) {
        await insertRows(transaction, { table: identifier(table.name), columns: table.columns, rows });
      }
    }
  });
}

async function holdSameRows(one: AsyncGenerator<TableRow[]>, other: AsyncGenerator<TableRow[]>): Promise<boolean> {
  for (;;) {
    const [page, otherPage] = await Promise.all([one.next(), other.next()]);
    if (page.done || otherPage.done) return page.done === otherPage.done;
    const { value: rows } = page;
    const { value: otherRows } = otherPage;
    if (rows.length !== otherRows.length || !rows.every((row, index) => haveEqualValues(row, otherRows[index] ?? []))) return false;
  }
}

/** Whether two rows of the same columns hold the same, whether their drivers give an int64 as bigint or as text. */
export function haveEqualValues(row: TableRow, other: TableRow): boolean {
  return row.length === other.length && row.every((value, index) => isSame(value, other[index] ?? null));
}

function isSame(value: TableRow[number], other: TableRow[number]): boolean {
  return value === null || other === null ? value === other : String(value) === String(other);
}
