import { Column, Entity, PrimaryColumn } from 'typeorm';
import {
  columnsFor,
  columnTypes,
  entityTable,
  optional,
  raw,
  sql,
  type SqlFragment,
  type SqlRunner,
  type WriteTransaction,
} from '#libs/database';
import { newestPositionSql } from '../event-store/sequences.js';
import { belongsTo, type Projection } from './projection.js';

/** How far one version of a projection is. */
@Entity('projection_checkpoints')
export class ProjectionCheckpoint {
  @PrimaryColumn(columnTypes.text) readonly name!: string;
  @PrimaryColumn(columnTypes.integer) readonly version!: number;
  /** How often its tables have been built; 0: they do not exist. */
  @Column(columnTypes.integer) readonly generation!: number;
  /** The position of the last event that it applied. */
  @Column(columnTypes.int64) readonly position!: bigint;
  /** The build that runs or has stopped, if any. */
  @Column(optional(columnTypes.text)) readonly rebuildId?: string | undefined;
  /** The position of that build. */
  @Column(columnTypes.int64) readonly rebuildPosition!: bigint;
  /** Names of the tables in the database, for builds that do not know this version. */
  @Column(columnTypes.json) readonly tables!: readonly string[];
}

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
  const columns = columnsFor(runner, sql`"generation", "position", ${newestPositionSql(projection.eventTypes)} AS "newest"`);
  const [found] = await runner.query<Readonly<Record<'generation' | 'position' | 'newest', string | bigint>>>(
    sql`SELECT ${columns} FROM ${table} WHERE ${matchesVersion(projection)} AND "generation" > 0`,
  );
  return found && { generation: Number(found.generation), position: BigInt(found.position), newest: BigInt(found.newest) };
}

/** Returns a check whether a table can be made again from the log: a table of any version of a projection in any build, or the checkpoints. */
export async function findDerivedTables(runner: SqlRunner): Promise<(name: string) => boolean> {
  const live = (await readCheckpoints(runner)).flatMap(({ tables }) => tables);
  return (name) => name === checkpoints.name || live.some((each) => belongsTo(each, name));
}

export function saveCheckpoint(transaction: WriteTransaction, checkpoint: ProjectionCheckpoint): void {
  const suffix = raw(`ON CONFLICT ("name", "version") DO UPDATE SET "generation" = excluded."generation", "position" = excluded."position",
    "rebuild_id" = excluded."rebuild_id", "rebuild_position" = excluded."rebuild_position", "tables" = excluded."tables"`);
  checkpoints.insert(transaction, [checkpoint], { suffix });
}

export function advanceCheckpoint(transaction: WriteTransaction, projection: VersionedName, position: bigint): void {
  transaction.execute(sql`UPDATE ${table} SET "position" = ${position} WHERE ${matchesVersion(projection)}`);
}

export function deleteCheckpoint(transaction: WriteTransaction, projection: VersionedName): void {
  transaction.execute(sql`DELETE FROM ${table} WHERE ${matchesVersion(projection)}`);
}

function matchesVersion({ name, version }: VersionedName): SqlFragment {
  return sql`"name" = ${name} AND "version" = ${version}`;
}
