import { identifier, raw, sql, type SqlFragment, type SqlRunner, type WriteTransaction } from '#libs/database';
import { newestPositionOf } from '#libs/event-store';
import type { Projection } from './projection.js';

/** Where one version of a projection is. */
export interface ProjectionCheckpoint {
  readonly name: string;
  readonly version: number;
  /** How often its tables have been built; 0: they are not there. */
  readonly generation: number;
  /** The position of the last event that it applied. */
  readonly position: bigint;
  /** The build that is under way or was broken off, if any. */
  readonly rebuildId: string | null;
  /** How far that build has come. */
  readonly rebuildPosition: bigint;
  /** The tables as they are named in the database, for builds that do not know this version. */
  readonly tables: readonly string[];
}

/** A checkpoint beside the log. */
export interface ProjectionProgress {
  readonly generation: number;
  readonly position: bigint;
  /** The position of the newest event that the projection handles; it lags behind the log while this is greater than `position`. */
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

type VersionedName = Pick<Projection, 'name' | 'version'>;

/** The table of the checkpoints. */
export const CHECKPOINTS_TABLE = 'projection_checkpoints';

const table = identifier(CHECKPOINTS_TABLE);
const columns = raw('"name", "version", "generation", "position", "rebuild_id", "rebuild_position", "tables"');

/** The checkpoint of a projection's version; one of generation 0 where it has never been built. */
export async function readCheckpoint(runner: SqlRunner, { name, version }: VersionedName): Promise<ProjectionCheckpoint> {
  const rows = await runner.query<CheckpointRow>(sql`SELECT ${columns} FROM ${table} WHERE ${isOf({ name, version })}`);
  const [row] = rows;
  return row ? toCheckpoint(row) : { name, version, generation: 0, position: 0n, rebuildId: null, rebuildPosition: 0n, tables: [] };
}

/** The checkpoints of all versions of all projections, also of those that this build does not know. */
export async function readCheckpoints(runner: SqlRunner): Promise<ProjectionCheckpoint[]> {
  const rows = await runner.query<CheckpointRow>(sql`SELECT ${columns} FROM ${table} ORDER BY "name", "version"`);
  return rows.map(toCheckpoint);
}

/** Looks with one statement, so that checkpoint and log are those of one moment. Undefined while the tables are not there. */
export async function readProgress(runner: SqlRunner, projection: Projection): Promise<ProjectionProgress | undefined> {
  const rows = await runner.query<Pick<CheckpointRow, 'generation' | 'position'> & { readonly newest: bigint | string }>(
    sql`SELECT "generation", "position", ${newestPositionOf(projection.eventTypes)} AS "newest" FROM ${table} WHERE ${isOf(projection)}`,
  );
  const generation = Number(rows[0]?.generation ?? 0);
  if (!rows[0] || generation === 0) return undefined;
  return { generation, position: BigInt(rows[0].position), newest: BigInt(rows[0].newest) };
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

/** Moves a built projection on. */
export async function advanceCheckpoint(transaction: WriteTransaction, projection: VersionedName, position: bigint): Promise<void> {
  await transaction.query(sql`UPDATE ${table} SET "position" = ${position} WHERE ${isOf(projection)}`);
}

/** Notes how far the build that is under way has come, which shows others that it goes on. */
export async function advanceRebuild(transaction: WriteTransaction, projection: VersionedName, position: bigint): Promise<void> {
  await transaction.query(sql`UPDATE ${table} SET "rebuild_position" = ${position} WHERE ${isOf(projection)}`);
}

/** The position of the newest event in the log that the projection handles, 0 where there is none. */
export async function lastHandledPosition(runner: SqlRunner, { eventTypes }: Projection): Promise<bigint> {
  const rows = await runner.query<{ position: bigint | string }>(sql`SELECT ${newestPositionOf(eventTypes)} AS "position"`);
  return BigInt(rows[0]?.position ?? 0);
}

export async function deleteCheckpoint(transaction: WriteTransaction, projection: VersionedName): Promise<void> {
  await transaction.query(sql`DELETE FROM ${table} WHERE ${isOf(projection)}`);
}

function isOf({ name, version }: VersionedName): SqlFragment {
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
