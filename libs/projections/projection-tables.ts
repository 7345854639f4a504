import { identifier, join, raw, sql, type SqlFragment, type SqlRunner } from '#libs/database';
import type { Projection, ProjectionColumn, ProjectionTable, ProjectionTarget } from './projection.js';
import { CHECKPOINTS_TABLE, readCheckpoints } from './projection-checkpoints.js';
import { belongsTo, nameOfIndex, tableNameOf } from './table-names.js';

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

/** Gives the tables of a projection under names that `rename` makes of their live ones, on one connection or transaction. */
export function targetOf(projection: Projection, runner: SqlRunner, rename: (name: string) => string = (name) => name): ProjectionTarget {
  const names = new Map<string, SqlFragment>(
    projection.tables.map(({ name }) => [name, identifier(rename(tableNameOf(projection, name)))]),
  );
  return {
    dialect: runner.dialect,
    query: (statement) => runner.query(statement),
    table(name) {
      const table = names.get(name);
      if (!table) throw new Error(`Projection ${projection.name} does not own a table ${name}.`);
      return table;
    },
  };
}

/**
 * Tells the tables that hold nothing but what the log says: those of all versions of all projections, also half built and replaced
 * ones, and the checkpoints of these.
 */
export async function derivedTables(runner: SqlRunner): Promise<(name: string) => boolean> {
  const live = (await readCheckpoints(runner)).flatMap(({ tables }) => tables);
  return (name) => name === CHECKPOINTS_TABLE || live.some((table) => belongsTo(table, name));
}

function columnDefinition(runner: SqlRunner, name: string, { type, nullable = false }: ProjectionColumn): SqlFragment {
  return sql`${identifier(name)} ${raw(runner.dialect.columnTypes[type])} ${raw(nullable ? 'NULL' : 'NOT NULL')}`;
}
