import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { listTables, type WriteTransaction } from '#libs/database';
import { type Projection, type ProjectionTarget, BuildOvertakenError } from './projection.js';
import { deleteCheckpoint, readCheckpoint, saveCheckpoint, type ProjectionCheckpoint } from './projection-checkpoints.js';
import {
  createProjectionTable,
  dropTable,
  renameTable,
  targetOf,
  belongsTo,
  nameWhenReplaced,
  nameWhileBuilt,
  tableNameOf,
} from './projection-tables.js';

const LOOK_EVERY_MILLISECONDS = 50;
// A build notes its progress many times a second; one that does not was broken off.
const STANDSTILL_MILLISECONDS = 5_000;

/** Tables of a projection that are being built beside the live ones. */
export interface ProjectionBuild {
  readonly projection: Projection;
  readonly generation: number;
  /** Tells this build from a later one of the same projection, which takes its place. */
  readonly rebuildId: string;
}

/**
 * Creates the new tables, empty, and notes that this build is under way. A build that goes on or was broken off ends with it, and what
 * earlier ones have left goes, whose indexes may have the names of the new ones.
 */
export async function beginBuild(transaction: WriteTransaction, projection: Projection): Promise<ProjectionBuild> {
  const checkpoint = await readCheckpoint(transaction, projection);
  const build = { projection, generation: checkpoint.generation + 1, rebuildId: randomUUID() };
  const tables = projection.tables.map(({ name }) => tableNameOf(projection, name));
  await dropTables(transaction, tables, (name) => checkpoint.generation === 0 || !tables.includes(name));
  for (const table of projection.tables) {
    await createProjectionTable(transaction, table, nameWhileBuilt(tableNameOf(projection, table.name), build.generation));
  }
  await saveCheckpoint(transaction, { ...checkpoint, rebuildId: build.rebuildId, rebuildPosition: 0n, tables });
  return build;
}

/** The same for tables that are not there, unless they were built, or their build was begun by another, since `seen` was read. */
export async function beginFirstBuild(
  transaction: WriteTransaction,
  projection: Projection,
  seen: ProjectionCheckpoint,
): Promise<ProjectionBuild | undefined> {
  const { generation, rebuildId } = await readCheckpoint(transaction, projection);
  return generation === 0 && rebuildId === seen.rebuildId ? beginBuild(transaction, projection) : undefined;
}

/** @throws BuildOvertakenError when another build of the projection was begun after this one. */
export async function confirmBuild(transaction: WriteTransaction, { projection, rebuildId }: ProjectionBuild): Promise<void> {
  const checkpoint = await readCheckpoint(transaction, projection);
  if (checkpoint.rebuildId !== rebuildId) throw new BuildOvertakenError(projection.name);
}

/** The new tables as the projection writes them. */
export function buildTarget(transaction: WriteTransaction, { projection, generation }: ProjectionBuild): ProjectionTarget {
  return targetOf(projection, transaction, (name) => nameWhileBuilt(name, generation));
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
    if (before.generation > 0) await renameTable(transaction, name, nameWhenReplaced(name, before.generation));
    await renameTable(transaction, nameWhileBuilt(name, generation), name);
  }
  await saveCheckpoint(transaction, { ...before, generation, position, rebuildId: null, rebuildPosition: position });
}

/** Ends a rebuild that was broken off, unless it has gone on, or another was begun, since `seen` was read. */
export async function discardBuild(transaction: WriteTransaction, seen: ProjectionCheckpoint): Promise<void> {
  const { rebuildId, rebuildPosition, ...checkpoint } = await readCheckpoint(transaction, seen);
  if (rebuildId !== seen.rebuildId || rebuildPosition !== seen.rebuildPosition) return;
  await saveCheckpoint(transaction, { ...checkpoint, rebuildId: null, rebuildPosition: checkpoint.position });
}

/**
 * Drops the tables of a projection's version that nobody uses: replaced ones, and half built ones of a build that is not under way.
 * @returns their names
 */
export async function dropAbandonedTables(
  transaction: WriteTransaction,
  version: Pick<ProjectionCheckpoint, 'name' | 'version'>,
): Promise<string[]> {
  const { tables, generation, rebuildId } = await readCheckpoint(transaction, version);
  const used = [...tables, ...(rebuildId === null ? [] : tables.map((name) => nameWhileBuilt(name, generation + 1)))];
  return dropTables(transaction, tables, (name) => !used.includes(name));
}

/** Drops all tables of a projection's version with its checkpoint. Returns their names. */
export async function removeVersion(
  transaction: WriteTransaction,
  version: Pick<ProjectionCheckpoint, 'name' | 'version'>,
): Promise<string[]> {
  const { tables } = await readCheckpoint(transaction, version);
  const dropped = await dropTables(transaction, tables, () => true);
  await deleteCheckpoint(transaction, version);
  return dropped;
}

/** Drops those tables that builds have made for the live ones, found in the database, since a build may have ended at any step. */
async function dropTables(transaction: WriteTransaction, live: readonly string[], isUnused: (name: string) => boolean): Promise<string[]> {
  const made = (await listTables(transaction)).map(({ name }) => name).filter((name) => live.some((table) => belongsTo(table, name)));
  const unused = made.filter(isUnused);
  for (const name of unused) await dropTable(transaction, name);
  return unused;
}

/** A build of another process, seen from here. */
export class BuildMonitor {
  private last = '';
  private changedAt = performance.now();

  /** Waits a little, for the build to go on. */
  static pause(): Promise<void> {
    return delay(LOOK_EVERY_MILLISECONDS);
  }

  /** `wentOn`: it is not as it was seen last; `brokenOff`: it has not been for five seconds. */
  observe({ rebuildId, rebuildPosition }: ProjectionCheckpoint): 'seen' | 'wentOn' | 'brokenOff' {
    const seen = `${rebuildId} ${rebuildPosition}`;
    if (seen === this.last) return performance.now() - this.changedAt > STANDSTILL_MILLISECONDS ? 'brokenOff' : 'seen';
    const isFirst = this.last === '';
    this.last = seen;
    this.changedAt = performance.now();
    return isFirst ? 'seen' : 'wentOn';
  }
}
