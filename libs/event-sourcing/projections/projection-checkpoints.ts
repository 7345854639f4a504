import { identifier, raw, sql, type SqlFragment, type SqlRunner, type WriteTransaction } from '#libs/database';
import { newestPositionSql } from '../event-store/sequences.js';
import { belongsTo, type Projection } from './projection.js';

/** How far one version of a projection is. */
export interface ProjectionCheckpoint {
  readonly name: string;
  readonly version: number;
  /** How often its tables have been built; 0: they do not exist. */
  readonly generation: number;
  /** The position of the last event that it applied. */
  readonly position: bigint;
  /** The build that runs or has stopped, if any. */
  readonly rebuildId: string | null;
  /** The position of that build. */
  readonly rebuildPosition: bigint;
  /** Names of the tables in the database, for builds that do not know this version. */
  readonly tables: readonly string[];
}

/** A checkpoint compared with the log. */
export interface ProjectionProgress extends Pick<ProjectionCheckpoint, 'generation' | 'position'> {
  /** The position of the newest event that the projection handles; greater than `position` if it lags. */
  readonly newest: bigint;
}

interface CheckpointRow {
  readonly name: string;
  readonly version: bigint | string;
  readonly generation: bigint | string;
  readonly position: bigint | string;
  readonly rebuild_id: string | null;
  readonly rebuild_position: bigint | string;
  readonly tables: string;
}

export type VersionedName = Pick<Projection, 'name' | 'version'>;

const CHECKPOINTS_TABLE = 'projection_checkpoints';

const table = identifier(CHECKPOINTS_TABLE);
const columns = raw('"name", "version", "generation", "position", "rebuild_id", "rebuild_position", "tables"');

/** Reads the checkpoint of a version; one of generation 0 if it has never been built. */
export async function readCheckpoint(runner: SqlRunner, { name, version }: VersionedName): Promise<ProjectionCheckpoint> {
  const [row] = await runner.query<CheckpointRow>(sql`SELECT ${columns} FROM ${table} WHERE ${matchesVersion({ name, version })}`);
  return row ? toCheckpoint(row) : { name, version, generation: 0, position: 0n, rebuildId: null, rebuildPosition: 0n, tables: [] };
}

/** Reads the checkpoints of all versions, also those that this build does not know. */
export async function readCheckpoints(runner: SqlRunner): Promise<ProjectionCheckpoint[]> {
  const rows = await runner.query<CheckpointRow>(sql`SELECT ${columns} FROM ${table} ORDER BY "name", "version"`);
  return rows.map(toCheckpoint);
}

/** Reads checkpoint and log with one statement, so at one moment. Undefined if the tables do not exist. */
export async function readProgress(runner: SqlRunner, projection: Projection): Promise<ProjectionProgress | undefined> {
  const rows = await runner.query<Pick<CheckpointRow, 'generation' | 'position'> & { readonly newest: bigint | string }>(
    sql`SELECT "generation", "position", ${newestPositionSql(projection.eventTypes)} AS "newest"
        FROM ${table} WHERE ${matchesVersion(projection)}`,
  );
  const generation = Number(rows[0]?.generation ?? 0);
  if (!rows[0] || generation === 0) return undefined;
  return { generation, position: BigInt(rows[0].position), newest: BigInt(rows[0].newest) };
}

/** Returns a check whether a table can be made again from the log: a table of any version of a projection in any build, or the checkpoints. */
export async function findDerivedTables(runner: SqlRunner): Promise<(name: string) => boolean> {
  const live = (await readCheckpoints(runner)).flatMap(({ tables }) => tables);
  return (name) => name === CHECKPOINTS_TABLE || live.some((table) => belongsTo(table, name));
}

export async function saveCheckpoint(transaction: WriteTransaction, checkpoint: ProjectionCheckpoint): Promise<void> {
  const { name, version, generation, position, rebuildId, rebuildPosition, tables } = checkpoint;
  await transaction.query(
    sql`INSERT INTO ${table} (${columns})
        VALUES (${name}, ${version}, ${generation}, ${position}, ${rebuildId}, ${rebuildPosition}, ${JSON.stringify(tables)})
        ON CONFLICT ("name", "version") DO UPDATE SET "generation" = excluded."generation", "position" = excluded."position",
          "rebuild_id" = excluded."rebuild_id", "rebuild_position" = excluded."rebuild_position", "tables" = excluded."tables"`,
  );
}

export function advanceCheckpoint(transaction: WriteTransaction, projection: VersionedName, position: bigint): void {
  transaction.execute(sql`UPDATE ${table} SET "position" = ${position} WHERE ${matchesVersion(projection)}`);
}

/** Notes the progress of a build, by which others see that it runs. */
export function advanceRebuild(transaction: WriteTransaction, projection: VersionedName, position: bigint): void {
  transaction.execute(sql`UPDATE ${table} SET "rebuild_position" = ${position} WHERE ${matchesVersion(projection)}`);
}

/** Returns the position of the newest event that the projection handles, 0 if there is none. */
export async function lastHandledPosition(runner: SqlRunner, { eventTypes }: Projection): Promise<bigint> {
  const rows = await runner.query<{ position: bigint | string }>(sql`SELECT ${newestPositionSql(eventTypes)} AS "position"`);
  return BigInt(rows[0]?.position ?? 0);
}

export async function deleteCheckpoint(transaction: WriteTransaction, projection: VersionedName): Promise<void> {
  await transaction.query(sql`DELETE FROM ${table} WHERE ${matchesVersion(projection)}`);
}

function matchesVersion({ name, version }: VersionedName): SqlFragment {
  return sql`"name" = ${name} AND "version" = ${version}`;
}

function toCheckpoint(row: CheckpointRow): ProjectionCheckpoint {
  return {
    name: row.name,
    version: Number(row.version),
    generation: Number(row.generation),
    position: BigInt(row.position),
    rebuildId: row.rebuild_id,
    rebuildPosition: BigInt(row.rebuild_position),
    tables: JSON.parse(row.tables) as string[],
  };
}
