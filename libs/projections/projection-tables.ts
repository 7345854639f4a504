import { createHash } from 'node:crypto';
import { identifier, join, raw, sql, type SqlFragment, type SqlRunner } from '#libs/database';
import type { Projection, ProjectionColumn, ProjectionTable, ProjectionTarget } from './projection.js';
import { CHECKPOINTS_TABLE, readCheckpoints } from './projection-checkpoints.js';

// PostgreSQL cuts a longer name off, so that two may become one. SQLite does not, and has the same names all the same.
const MOST_BYTES = 63;
const DIGEST_CHARACTERS = 12;

/**
 * The name under which a table of a projection stands in the database. It carries the projection's version, so that builds with
 * different versions can work on one database.
 */
export function tableNameOf({ version }: Pick<Projection, 'version'>, table: string): string {
  return fitting(table, `_v${version}`);
}

/** The name of a table while it is built, by the name that it will have and the number of the build. */
export function nameWhileBuilt(name: string, generation: number): string {
  return fitting(name, `_build_${generation}`);
}

/** The name of a table that the build of this number has made and a later one has replaced, until it is dropped. */
export function nameWhenReplaced(name: string, generation: number): string {
  return fitting(name, `_retired_${generation}`);
}

/** The name of a temporary table that is compared with a table. */
export function nameWhenReplayed(name: string): string {
  return fitting(name, '_replayed');
}

/** The name of an index of the columns of a table, which keeps it when the table is renamed. */
export function nameOfIndex(table: string, columns: readonly string[]): string {
  return fitting([table, ...columns].join('_'), '');
}

/** Whether `name` is that of the live table `table`, or one that a build of it has had or will have. */
export function belongsTo(table: string, name: string): boolean {
  if (name === table) return true;
  const generation = /_(?:build|retired)_(\d+)$/.exec(name)?.[1];
  if (generation === undefined) return false;
  return name === nameWhileBuilt(table, Number(generation)) || name === nameWhenReplaced(table, Number(generation));
}

/** A name that ends in `suffix`, and is as it is where it is short enough; else a digest stands for what does not fit. */
function fitting(stem: string, suffix: string): string {
  if (Buffer.byteLength(stem + suffix) <= MOST_BYTES) return stem + suffix;
  const ending = `_${createHash('sha256').update(stem).digest('hex').slice(0, DIGEST_CHARACTERS)}${suffix}`;
  let beginning = '';
  for (const character of stem) {
    if (Buffer.byteLength(beginning + character + ending) > MOST_BYTES) break;
    beginning += character;
  }
  return beginning + ending;
}

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
