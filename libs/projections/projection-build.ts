import { randomUUID } from 'node:crypto';
import type { WriteTransaction } from '#libs/database';
import { ApplicationError } from '#libs/errors';
import type { Projection, ProjectionTarget } from './projection.js';
import { lastHandledPosition, readCheckpoint, saveCheckpoint } from './projection-checkpoints.js';
import { createProjectionTable, dropTable, renameTable } from './projection-tables.js';
import { targetOf } from './projection-target.js';

/** Tables of a projection that are being built beside the live ones. */
export interface ProjectionBuild {
  readonly projection: Projection;
  readonly generation: number;
  /** Tells this build from a later one of the same projection, which takes its place. */
  readonly rebuildId: string;
}

/** Creates the new tables, empty, and notes that this build is under way. What an interrupted build left is dropped. */
export async function beginBuild(transaction: WriteTransaction, projection: Projection): Promise<ProjectionBuild> {
  const checkpoint = await readCheckpoint(transaction, projection.name);
  const build = { projection, generation: checkpoint.generation + 1, rebuildId: randomUUID() };
  for (const table of projection.tables) {
    await dropTable(transaction, buildName(table.name, build));
    await createProjectionTable(transaction, table, buildName(table.name, build));
  }
  await saveCheckpoint(transaction, { ...checkpoint, rebuildId: build.rebuildId });
  return build;
}

/** @throws ApplicationError `service_unavailable` when another build of the projection was begun after this one. */
export async function confirmBuild(transaction: WriteTransaction, { projection, rebuildId }: ProjectionBuild): Promise<void> {
  const checkpoint = await readCheckpoint(transaction, projection.name);
  if (checkpoint.rebuildId === rebuildId) return;
  throw new ApplicationError('service_unavailable', `Another rebuild of ${projection.name} was started and goes on in place of this one.`);
}

/** The new tables as the projection writes them. */
export function buildTarget(transaction: WriteTransaction, build: ProjectionBuild): ProjectionTarget {
  return targetOf(build.projection, transaction, (table) => buildName(table, build));
}

/** Makes the new tables the live ones. The old ones stay under another name, since dropping a large table takes long. */
export async function switchTables(transaction: WriteTransaction, build: ProjectionBuild): Promise<void> {
  const { projection, generation } = build;
  const before = await readCheckpoint(transaction, projection.name);
  for (const { name } of projection.tables) {
    if (before.generation > 0) await renameTable(transaction, name, retiredName(name, build));
    await renameTable(transaction, buildName(name, build), name);
  }
  const position = await lastHandledPosition(transaction, projection);
  await saveCheckpoint(transaction, { name: projection.name, version: projection.version, generation, position, rebuildId: null });
}

export async function dropRetiredTables(transaction: WriteTransaction, build: ProjectionBuild): Promise<void> {
  for (const { name } of build.projection.tables) await dropTable(transaction, retiredName(name, build));
}

function buildName(table: string, { generation }: ProjectionBuild): string {
  return `${table}_build_${generation}`;
}

function retiredName(table: string, { generation }: ProjectionBuild): string {
  return `${table}_retired_${generation - 1}`;
}
