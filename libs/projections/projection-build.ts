import { randomUUID } from 'node:crypto';
import type { WriteTransaction } from '#libs/database';
import type { Projection, ProjectionTarget } from './projection.js';
import { readCheckpoint, saveCheckpoint, type ProjectionCheckpoint } from './projection-checkpoints.js';
import { BuildOvertakenError } from './projection.errors.js';
import { createProjectionTable, dropTable, renameTable } from './projection-tables.js';
import { targetOf } from './projection-target.js';
import { nameWhenReplaced, nameWhileBuilt, tableNameOf } from './table-names.js';

/** Tables of a projection that are being built beside the live ones. */
export interface ProjectionBuild {
  readonly projection: Projection;
  readonly generation: number;
  /** Tells this build from a later one of the same projection, which takes its place. */
  readonly rebuildId: string;
}

/** Creates the new tables, empty, and notes that this build is under way. A build that goes on or was broken off ends with it. */
export async function beginBuild(transaction: WriteTransaction, projection: Projection): Promise<ProjectionBuild> {
  const checkpoint = await readCheckpoint(transaction, projection);
  const build = { projection, generation: checkpoint.generation + 1, rebuildId: randomUUID() };
  for (const table of projection.tables) {
    const name = nameWhileBuilt(tableNameOf(projection, table.name), build.generation);
    await dropTable(transaction, name);
    await createProjectionTable(transaction, table, name);
  }
  const tables = projection.tables.map(({ name }) => tableNameOf(projection, name));
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

/** Makes the new tables, which hold the log up to `position`, the live ones. The old ones stay under another name, since dropping a large table takes long. */
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

export async function dropReplacedTables(transaction: WriteTransaction, { projection, generation }: ProjectionBuild): Promise<void> {
  for (const { name } of projection.tables) await dropTable(transaction, nameWhenReplaced(tableNameOf(projection, name), generation - 1));
}
