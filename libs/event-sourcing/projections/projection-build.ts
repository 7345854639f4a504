import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { listTables, type WriteTransaction } from '#libs/database';
import { deleteCheckpoint, readCheckpoint, saveCheckpoint, type ProjectionCheckpoint } from './projection-checkpoints.js';
import {
  belongsTo,
  BuildOvertakenError,
  createProjectionTable,
  dropTable,
  replacedTableName,
  buildTableName,
  renameTable,
  projectionTableName,
  createTarget,
  type Projection,
  type ProjectionTarget,
} from './projection.js';

type VersionedName = Pick<ProjectionCheckpoint, 'name' | 'version'>;

const POLL_MILLISECONDS = 50;
// A build notes its progress many times a second; one that does not has stopped.
const STOPPED_AFTER_MILLISECONDS = 5_000;

/** A build of the tables of a projection beside the live ones. */
export interface ProjectionBuild {
  readonly projection: Projection;
  readonly generation: number;
  /** Tells this build from a later one of the same projection, which replaces it. */
  readonly rebuildId: string;
}

/**
 * Creates the new tables, empty, and notes that this build has begun, which ends an earlier one. Drops what earlier builds have left, whose
 * indexes may have the names of the new ones.
 */
export async function beginBuild(transaction: WriteTransaction, projection: Projection): Promise<ProjectionBuild> {
  const checkpoint = await readCheckpoint(transaction, projection);
  const build = { projection, generation: checkpoint.generation + 1, rebuildId: randomUUID() };
  const tables = projection.tables.map(({ name }) => projectionTableName(projection, name));
  await dropTables(transaction, tables, (name) => checkpoint.generation === 0 || !tables.includes(name));
  for (const table of projection.tables) {
    await createProjectionTable(transaction, table, buildTableName(projectionTableName(projection, table.name), build.generation));
  }
  await saveCheckpoint(transaction, { ...checkpoint, rebuildId: build.rebuildId, rebuildPosition: 0n, tables });
  return build;
}

/** Begins a build of missing tables, unless another process has built them, or begun to, since `seen` was read. */
export async function beginFirstBuild(
  transaction: WriteTransaction,
  projection: Projection,
  seen: ProjectionCheckpoint,
): Promise<ProjectionBuild | undefined> {
  const { generation, rebuildId } = await readCheckpoint(transaction, projection);
  return generation === 0 && rebuildId === seen.rebuildId ? beginBuild(transaction, projection) : undefined;
}

/** @throws BuildOvertakenError if another build of the projection has begun after this one. */
export async function assertBuildCurrent(transaction: WriteTransaction, { projection, rebuildId }: ProjectionBuild): Promise<void> {
  const checkpoint = await readCheckpoint(transaction, projection);
  if (checkpoint.rebuildId !== rebuildId) throw new BuildOvertakenError(projection.name);
}

/** Returns the new tables for the projection to write. */
export function buildTarget(transaction: WriteTransaction, { projection, generation }: ProjectionBuild): ProjectionTarget {
  return createTarget(projection, transaction, (name) => buildTableName(name, generation));
}

/**
 * Makes the new tables, which hold the log up to `position`, the live ones. The old ones stay under another name, since dropping a
 * large table takes long.
 */
export async function switchTables(
  transaction: WriteTransaction,
  { projection, generation }: ProjectionBuild,
  position: bigint,
): Promise<void> {
  const before = await readCheckpoint(transaction, projection);
  for (const name of before.tables) {
    if (before.generation > 0) await renameTable(transaction, name, replacedTableName(name, before.generation));
    await renameTable(transaction, buildTableName(name, generation), name);
  }
  await saveCheckpoint(transaction, { ...before, generation, position, rebuildId: null, rebuildPosition: position });
}

/** Ends a rebuild that has stopped, unless it has continued, or another has begun, since `seen` was read. */
export async function discardBuild(transaction: WriteTransaction, seen: ProjectionCheckpoint): Promise<void> {
  const { rebuildId, rebuildPosition, ...checkpoint } = await readCheckpoint(transaction, seen);
  if (rebuildId !== seen.rebuildId || rebuildPosition !== seen.rebuildPosition) return;
  await saveCheckpoint(transaction, { ...checkpoint, rebuildId: null, rebuildPosition: checkpoint.position });
}

/** Drops the unused tables of a version: replaced ones, and those of a build that has ended. Returns their names. */
export async function dropAbandonedTables(transaction: WriteTransaction, version: VersionedName): Promise<string[]> {
  const { tables, generation, rebuildId } = await readCheckpoint(transaction, version);
  const used = [...tables, ...(rebuildId === null ? [] : tables.map((name) => buildTableName(name, generation + 1)))];
  return dropTables(transaction, tables, (name) => !used.includes(name));
}

/** Drops all tables of a version with its checkpoint. Returns their names. */
export async function removeVersion(transaction: WriteTransaction, version: VersionedName): Promise<string[]> {
  const { tables } = await readCheckpoint(transaction, version);
  const dropped = await dropTables(transaction, tables, () => true);
  await deleteCheckpoint(transaction, version);
  return dropped;
}

/** Looks for the tables in the database, since a build may have ended at any step. */
async function dropTables(transaction: WriteTransaction, live: readonly string[], isUnused: (name: string) => boolean): Promise<string[]> {
  const made = (await listTables(transaction)).map(({ name }) => name).filter((name) => live.some((table) => belongsTo(table, name)));
  const unused = made.filter(isUnused);
  for (const name of unused) await dropTable(transaction, name);
  return unused;
}

/** Watches the build of another process. */
export class BuildMonitor {
  private last = '';
  private changedAt = performance.now();

  static pause(): Promise<void> {
    return delay(POLL_MILLISECONDS);
  }

  /** Returns `advanced` if the build has changed since the last call, `stopped` if it has not for five seconds, else `unchanged`. */
  observe({ rebuildId, rebuildPosition }: ProjectionCheckpoint): 'unchanged' | 'advanced' | 'stopped' {
    const seen = `${rebuildId} ${rebuildPosition}`;
    if (seen === this.last) return performance.now() - this.changedAt > STOPPED_AFTER_MILLISECONDS ? 'stopped' : 'unchanged';
    const isFirst = this.last === '';
    this.last = seen;
    this.changedAt = performance.now();
    return isFirst ? 'unchanged' : 'advanced';
  }
}
