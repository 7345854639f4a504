import { identifier, listTables, readTable, sql, type Database, type SqlRunner, type Table, type TableRow } from '#libs/database';
import { findDerivedTables } from '#libs/event-sourcing';

/** Rows read, and written in one transaction: few enough for the memory, many enough to make the cost of a commit negligible. */
export const ROWS_IN_PAGE = 2_000;

/** The log is copied event by event; migrations and running instances belong to one database. */
const NOT_COPIED_AS_A_WHOLE = ['events', 'migrations', 'process_leases'];

/** Lists the tables besides the log and the projections, such as counters and last use. Asks the database, so that no module's table is missed. */
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

/** Replaces the target's rows with the source's, in all tables or none. */
export async function replaceTables(source: SqlRunner, target: Database, tables: readonly Table[]): Promise<void> {
  await target.transaction(async (transaction) => {
    for (const table of tables) {
      await transaction.query(sql`DELETE FROM ${identifier(table.name)}`);
      for await (const rows of readTable(source, table, ROWS_IN_PAGE)) {
        const insert = { table: identifier(table.name), columns: table.columns, rows };
        // Each is waited for, so that a large table is not held in memory.
        for (const statement of transaction.dialect.insertStatements(insert)) await transaction.query(statement);
      }
    }
  });
}

async function holdSameRows(one: AsyncGenerator<TableRow[]>, other: AsyncGenerator<TableRow[]>): Promise<boolean> {
  for (;;) {
    const [page, otherPage] = await Promise.all([one.next(), other.next()]);
    if (page.done || otherPage.done) return page.done === otherPage.done;
    if (toComparableText(page.value) !== toComparableText(otherPage.value)) return false;
  }
}

/** Serializes rows so that those of two databases can be compared: their drivers return an int64 as bigint or as text. */
function toComparableText(rows: readonly TableRow[]): string {
  return JSON.stringify(rows.map((row) => row.map((value) => (value === null ? null : String(value)))));
}
