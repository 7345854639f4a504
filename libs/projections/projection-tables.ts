import { identifier, join, raw, sql, type SqlFragment, type SqlRunner } from '#libs/database';
import type { ProjectionColumn, ProjectionTable } from './projection.js';
import { nameOfIndex } from './table-names.js';

/** Creates a projection's table, with its indexes, under the given physical name. */
export async function createProjectionTable(
  runner: SqlRunner,
  table: ProjectionTable,
  physicalName: string,
  { temporary = false }: { readonly temporary?: boolean } = {},
): Promise<void> {
  const columns = Object.entries(table.columns).map(([name, column]) => columnDefinition(runner, name, column));
  const primaryKey = sql`PRIMARY KEY (${join(table.primaryKey.map(identifier))})`;
  await runner.query(
    sql`CREATE ${raw(temporary ? 'TEMPORARY ' : '')}TABLE ${identifier(physicalName)} (${join([...columns, primaryKey])})`,
  );
  if (temporary) return;
  for (const index of table.indexes ?? []) {
    const name = identifier(nameOfIndex(physicalName, index));
    await runner.query(sql`CREATE INDEX ${name} ON ${identifier(physicalName)} (${join(index.map(identifier))})`);
  }
}

export async function dropTable(runner: SqlRunner, physicalName: string): Promise<void> {
  await runner.query(sql`DROP TABLE IF EXISTS ${identifier(physicalName)}`);
}

export async function renameTable(runner: SqlRunner, from: string, to: string): Promise<void> {
  await runner.query(sql`ALTER TABLE ${identifier(from)} RENAME TO ${identifier(to)}`);
}

function columnDefinition(runner: SqlRunner, name: string, { type, nullable = false }: ProjectionColumn): SqlFragment {
  return sql`${identifier(name)} ${raw(runner.dialect.columnTypes[type])} ${raw(nullable ? 'NULL' : 'NOT NULL')}`;
}
