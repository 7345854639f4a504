import { randomUUID } from 'node:crypto';
import { identifier, listTables, sql, type WriteTransaction } from '#libs/database';
import type { EventRegistry } from '../event-store/event.js';
import { EventReader } from '../event-store/read-events.js';
import { Leases, PROCESS_LEASES, type LeasedTable } from '../processes/leases.js';
import { advanceRebuild, deleteCheckpoint, readCheckpoint, saveCheckpoint, type VersionedName } from './projection-checkpoints.js';
import {
  belongsTo,
  BuildOvertakenError,
  buildTableName,
  createProjectionTable,
  createTarget,
  listLiveTables,
  projectionTableName,
  replacedTableName,
  type Projection,
  type ProjectionTarget,
} from './projection.js';

// One transaction of this many events takes about 20 ms, so that a service on the same database can write in between.
const EVENTS_IN_ONE_TRANSACTION = 1_000;

const LEASED: LeasedTable = { ...PROCESS_LEASES, milliseconds: 5_000 };

const leaseName = ({ name, version }: VersionedName) => `build ${name} ${version}`;

/** Acquires or renews the right to make and drop tables of a version beside its live ones. Returns false if another has it. */
function acquireLease(transaction: WriteTransaction, leases: Leases, version: VersionedName): Promise<boolean> {
  return leases.acquireNamed(transaction, LEASED, leaseName(version));
}

export function releaseLease(transaction: WriteTransaction, leases: Leases, version: VersionedName): Promise<void> {
  return leases.release(transaction, LEASED, [leaseName(version)]);
}

/**
 * Creates new tables, empty, beside the live ones. Drops what earlier builds have left, whose indexes may have the names of the new ones.
 * @returns the id of the build; undefined if another one is in progress, or with `isFirst` if there are tables
 */
export async function beginBuild(
  transaction: WriteTransaction,
  leases: Leases,
  { projection, isFirst }: { readonly projection: Projection; readonly isFirst: boolean },
): Promise<string | undefined> {
  const checkpoint = await readCheckpoint(transaction, projection);
  if (isFirst && checkpoint.generation > 0) return undefined;
  if (!(await acquireLease(transaction, leases, projection))) return undefined;
  const tables = listLiveTables(projection, transaction.dialect);
  await dropTables(transaction, tables, (name) => checkpoint.generation === 0 || !tables.includes(name));
  for (const table of projection.tables) {
    await createProjectionTable(transaction, table, (name) =>
      buildTableName(projectionTableName(projection, name), checkpoint.generation + 1),
    );
  }
  const rebuildId = randomUUID();
  saveCheckpoint(transaction, { ...checkpoint, rebuildId, rebuildPosition: 0n, tables });
  return rebuildId;
}

/**
 * Applies the next events to the new tables. If there are no more, makes them the live ones, under the write lock, so that none can be
 * appended, and releases the lease. The old tables stay under another name, since dropping a large table takes long.
 * @returns the position reached; undefined after the switch
 * @throws BuildOvertakenError if this build stood still for so long that another has begun, or its tables were dropped
 */
export async function continueBuild(
  transaction: WriteTransaction,
  leases: Leases,
  { projection, id, registry }: { readonly projection: Projection; readonly id: string; readonly registry: EventRegistry },
): Promise<bigint | undefined> {
  const checkpoint = await readCheckpoint(transaction, projection);
  const isHeld = await acquireLease(transaction, leases, projection);
  if (!isHeld || checkpoint.rebuildId !== id) throw new BuildOvertakenError(projection.name);
  const generation = checkpoint.generation + 1;
  const target = createTarget(projection, transaction, (name) => buildTableName(name, generation));
  const { position, isComplete } = await applyNext(target, registry, projection, { after: checkpoint.rebuildPosition });
  if (!isComplete) {
    advanceRebuild(transaction, projection, position);
    return position;
  }
  for (const name of checkpoint.tables) {
    if (generation > 1) await rename(transaction, name, replacedTableName(name, checkpoint.generation));
    await rename(transaction, buildTableName(name, generation), name);
  }
  saveCheckpoint(transaction, { ...checkpoint, generation, position, rebuildId: undefined, rebuildPosition: position });
  await releaseLease(transaction, leases, projection);
  return undefined;
}

async function rename(transaction: WriteTransaction, from: string, to: string): Promise<void> {
  await transaction.query(sql`ALTER TABLE ${identifier(from)} RENAME TO ${identifier(to)}`);
}

/**
 * Drops tables of a version: replaced ones and those of a build that was interrupted; without `keepsLive` all of them, with the checkpoint.
 * Returns their names; undefined if a build is in progress.
 */
export async function clearTables(
  transaction: WriteTransaction,
  leases: Leases,
  { keepsLive, ...version }: VersionedName & { readonly keepsLive: boolean },
): Promise<string[] | undefined> {
  if (!(await acquireLease(transaction, leases, version))) return undefined;
  const checkpoint = await readCheckpoint(transaction, version);
  const { tables, position, rebuildId } = checkpoint;
  const dropped = await dropTables(transaction, tables, (name) => !keepsLive || !tables.includes(name));
  if (!keepsLive) await deleteCheckpoint(transaction, version);
  else if (rebuildId !== undefined) saveCheckpoint(transaction, { ...checkpoint, rebuildId: undefined, rebuildPosition: position });
  await releaseLease(transaction, leases, version);
  return dropped;
}

/** Looks for the tables in the database, since a build may have ended at any step. */
async function dropTables(transaction: WriteTransaction, live: readonly string[], isUnused: (name: string) => boolean): Promise<string[]> {
  const made = (await listTables(transaction)).map(({ name }) => name).filter((name) => live.some((table) => belongsTo(table, name)));
  const unused = made.filter(isUnused);
  for (const name of unused) await transaction.query(sql`DROP TABLE IF EXISTS ${identifier(name)}`);
  return unused;
}

/** How far the tables of a target are, and whether that was everything. */
export interface ReplayStep {
  readonly position: bigint;
  readonly isComplete: boolean;
}

/** Applies the next thousand events of the log after a position, up to another one if it is given. */
export async function applyNext(
  target: ProjectionTarget,
  registry: EventRegistry,
  projection: Projection,
  { after, until }: { readonly after: bigint; readonly until?: bigint },
): Promise<ReplayStep> {
  const page = { types: projection.eventTypes, after, until, limit: EVENTS_IN_ONE_TRANSACTION };
  const events = await new EventReader(target, registry).readAll(page);
  if (events.length > 0) await projection.project(events, target);
  return { position: events.at(-1)?.position ?? after, isComplete: events.length < EVENTS_IN_ONE_TRANSACTION };
}
