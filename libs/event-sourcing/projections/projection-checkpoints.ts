import { entityTable, raw, sql, type SqlFragment, type SqlRunner, type StoredValue, type WriteTransaction } from '#libs/database';
import { newestPositionSql } from '../event-store/sequences.js';
import { ProjectionCheckpoint } from './projection-checkpoint.entity.js';
import { belongsTo, type Projection } from './projection.js';

/** A checkpoint compared with the log. */
export interface ProjectionProgress extends Pick<ProjectionCheckpoint, 'generation' | 'position'> {
  /** The position of the newest event that the projection handles; greater than `position` if it lags. */
  readonly newest: bigint;
}

export type VersionedName = Pick<Projection, 'name' | 'version'>;

const checkpoints = entityTable(ProjectionCheckpoint);
const table = checkpoints.quoted;

/** Reads the checkpoint of a version; one of generation 0 if it has never been built. */
export async function readCheckpoint(
  runner: SqlRunner,
  { name, version }: VersionedName,
): Promise<Pick<ProjectionCheckpoint, keyof ProjectionCheckpoint>> {
  const [found] = await checkpoints.read(runner, table, sql`WHERE ${matchesVersion({ name, version })}`);
  return found ?? { name, version, generation: 0, position: 0n, rebuildPosition: 0n, tables: [] };
}

/** Reads the checkpoints of all versions, also those that this build does not know. */
export function readCheckpoints(runner: SqlRunner): Promise<ProjectionCheckpoint[]> {
  return checkpoints.read(runner, table, raw('ORDER BY "name", "version"'));
}

/** Reads checkpoint and log with one statement, so at one moment. Undefined if the tables do not exist. */
export async function readProgress(runner: SqlRunner, projection: Projection): Promise<ProjectionProgress | undefined> {
  const rows = await runner.query<Readonly<Record<'generation' | 'position' | 'newest', StoredValue>>>(
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
  return (name) => name === checkpoints.name || live.some((table) => belongsTo(table, name));
}

export function saveCheckpoint(transaction: WriteTransaction, checkpoint: ProjectionCheckpoint): void {
  const suffix = raw(`ON CONFLICT ("name", "version") DO UPDATE SET "generation" = excluded."generation", "position" = excluded."position",
    "rebuild_id" = excluded."rebuild_id", "rebuild_position" = excluded."rebuild_position", "tables" = excluded."tables"`);
  checkpoints.insert(transaction, [checkpoint], { suffix });
}

export function advanceCheckpoint(transaction: WriteTransaction, projection: VersionedName, position: bigint): void {
  transaction.execute(sql`UPDATE ${table} SET "position" = ${position} WHERE ${matchesVersion(projection)}`);
}

/** Notes the progress of a build, by which others see that it runs. */
export function advanceRebuild(transaction: WriteTransaction, projection: VersionedName, position: bigint): void {
  transaction.execute(sql`UPDATE ${table} SET "rebuild_position" = ${position} WHERE ${matchesVersion(projection)}`);
}

export async function deleteCheckpoint(transaction: WriteTransaction, projection: VersionedName): Promise<void> {
  await transaction.query(sql`DELETE FROM ${table} WHERE ${matchesVersion(projection)}`);
}

function matchesVersion({ name, version }: VersionedName): SqlFragment {
  return sql`"name" = ${name} AND "version" = ${version}`;
}
