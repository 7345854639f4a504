import { randomUUID } from 'node:crypto';
import { systemTimers } from '#libs/observability';
import { identifier, listTables, sql, type SqlRunner, type WriteTransaction } from '#libs/database';
import type { RecordedEvent } from '../event-store/event.js';
import {
  advanceRebuild,
  deleteCheckpoint,
  readCheckpoint,
  saveCheckpoint,
  type ProjectionCheckpoint,
  type VersionedName,
} from './projection-checkpoints.js';
import {
  belongsTo,
  BuildOvertakenError,
  createProjectionTable,
  replacedTableName,
  buildTableName,
  listLiveTables,
  projectionTableName,
  createTarget,
  type Projection,
} from './projection.js';

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
  const tables = listLiveTables(projection, transaction.dialect);
  await dropTables(transaction, tables, (name) => checkpoint.generation === 0 || !tables.includes(name));
  for (const table of projection.tables) {
    await createProjectionTable(transaction, table, (name) => buildTableName(projectionTableName(projection, name), build.generation));
  }
  await saveCheckpoint(transaction, { ...checkpoint, rebuildId: build.rebuildId, rebuildPosition: 0n, tables });
  return build;
}

/**
 * Applies events to the new tables and notes the progress, by which others see that the build runs.
 * @throws BuildOvertakenError if another build of the projection has begun after this one.
 */
export async function applyToBuild(
  transaction: WriteTransaction,
  { projection, generation, rebuildId }: ProjectionBuild,
  events: readonly RecordedEvent[],
): Promise<void> {
  const checkpoint = await readCheckpoint(transaction, projection);
  if (checkpoint.rebuildId !== rebuildId) throw new BuildOvertakenError(projection.name);
  const last = events.at(-1);
  if (!last) return;
  const target = createTarget(projection, transaction, (name) => buildTableName(name, generation));
  await projection.project(events, target);
  advanceRebuild(transaction, projection, last.position);
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
    if (before.generation > 0) await rename(transaction, name, replacedTableName(name, before.generation));
    await rename(transaction, buildTableName(name, generation), name);
  }
  await saveCheckpoint(transaction, { ...before, generation, position, rebuildId: null, rebuildPosition: position });
}

async function rename(transaction: WriteTransaction, from: string, to: string): Promise<void> {
  await transaction.query(sql`ALTER TABLE ${identifier(from)} RENAME TO ${identifier(to)}`);
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
  for (const name of unused) await transaction.query(sql`DROP TABLE IF EXISTS ${identifier(name)}`);
  return unused;
}

/**
 * Watches the build of another process, whose checkpoint was read as `seen`, until it changes, or `isEnding` returns true.
 * @returns true if the build has made no progress for five seconds
 */
export async function hasBuildStopped(runner: SqlRunner, seen: ProjectionCheckpoint, isEnding?: () => boolean): Promise<boolean> {
  const deadline = systemTimers.now() + STOPPED_AFTER_MILLISECONDS;
  while (systemTimers.now() <= deadline) {
    await systemTimers.sleep(POLL_MILLISECONDS);
    if (isEnding?.()) return false;
    const { rebuildId, rebuildPosition } = await readCheckpoint(runner, seen);
    if (rebuildId !== seen.rebuildId || rebuildPosition !== seen.rebuildPosition) return false;
  }
  return true;
}
