import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Database, identifier, listTables, sql, type Table, type WriteTransaction } from '#libs/database';
import { ApplicationError, Clock, systemTimers } from '#libs/observability';
import { EventRegistry } from '../event-store/event.js';
import { EventReader } from '../event-store/read-events.js';
import { newestPosition, readPosition } from '../event-store/sequences.js';
import { Leases } from '../processes/leases.js';
import {
  deleteCheckpoint,
  readCheckpoint,
  readCheckpoints,
  saveCheckpoint,
  type ProjectionCheckpoint,
  type VersionedName,
} from './projection-checkpoints.js';
import {
  belongsTo,
  BuildOvertakenError,
  buildTableName,
  createProjectionTable,
  createTarget,
  listLiveTables,
  ProjectionCatalog,
  projectionTableName,
  type Projection,
  type ProjectionTarget,
} from './projection.js';

/** Called with the positions of the log that are done and in total. */
export type ReplayProgress = (done: bigint, total: bigint) => void;

const POLL_MILLISECONDS = 100;
// In which a service on the same file gets the write lock, for which it looks every 2 ms.
const PAUSE_MILLISECONDS = 4;
// One transaction of this many events takes about 20 ms, so that a service on the same database can write in between.
const EVENTS_IN_ONE_TRANSACTION = 1_000;
// What the log holds can be made again; what follows the switch syncs it.
const BUILDING = { durable: false };
const LEASE_MILLISECONDS = 5_000;

const leaseName = ({ name, version }: VersionedName) => `build ${name} ${version}`;

/** The tables that were removed of a version. */
type PrunedProjection = Pick<ProjectionCheckpoint, 'name' | 'version' | 'tables'>;

/**
 * Builds the tables of projections from the log, beside the live ones, which are used until the switch, and removes unused ones. Who makes or
 * drops tables of a version beside its live ones holds its lease meanwhile.
 */
@Injectable()
export class ProjectionRebuilder implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ProjectionRebuilder.name);
  private readonly preparing = new Map<Projection, Promise<void>>();
  private isEnding = false;

  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly clock: Clock,
  ) {}

  /**
   * Builds the tables of a projection again, after a build of it that is in progress, and switches to the new ones in one transaction.
   * @throws ApplicationError `invalid_parameter` for an unknown name.
   * @throws BuildOvertakenError if this build stood still for five seconds and another has begun.
   */
  async rebuild(name: string, onProgress?: ReplayProgress): Promise<void> {
    const projection = this.catalog.find(name);
    if (!projection) {
      const known = this.catalog.all().map((each) => each.name);
      throw new ApplicationError('invalid_parameter', `There is no projection ${name}; there are ${known.join(', ')}.`);
    }
    while (!(await this.build(projection, false, onProgress))) await systemTimers.sleep(POLL_MILLISECONDS);
  }

  /**
   * Builds the missing tables of all projections.
   * @throws Error that names a projection which has changed under the same version, or cannot be built from the log
   */
  async prepareAll(): Promise<void> {
    for (const projection of this.catalog.all()) await this.prepare(projection);
    const tables = await listTables(this.database.reader);
    for (const projection of this.catalog.all()) assertUnchanged(projection, tables);
  }

  /**
   * Builds the tables of a projection if they do not exist. Of many instances that do this together one builds, and the others wait; if it
   * has ended or stands still for five seconds, one of them begins again from the first event.
   */
  prepare(projection: Projection): Promise<void> {
    const running = this.preparing.get(projection);
    if (running) return running;
    const preparation = this.buildFirst(projection).finally(() => this.preparing.delete(projection));
    this.preparing.set(projection, preparation);
    return preparation;
  }

  /**
   * Removes the versions that this build does not use, and abandoned tables; a version that is being built stays. An instance that still
   * uses such a version builds it again.
   */
  async prune(): Promise<PrunedProjection[]> {
    const others = (await readCheckpoints(this.database.reader)).filter((checkpoint) => !this.catalog.uses(checkpoint));
    return [...(await this.clear(others, false)), ...(await this.removeAbandoned())];
  }

  /** Removes the tables that a build which was interrupted has left of the versions that this build uses. */
  async removeAbandoned(): Promise<PrunedProjection[]> {
    return (await this.clear(this.catalog.all(), true)).filter(({ tables }) => tables.length > 0);
  }

  /** Ends a build in progress, of tables that another build of the service has removed. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isEnding = true;
    await Promise.allSettled(this.preparing.values());
  }

  private async buildFirst(projection: Projection): Promise<void> {
    const { name, version } = projection;
    for (let isWaiting = false; (await readCheckpoint(this.database.reader, projection)).generation === 0; isWaiting = true) {
      if (await this.build(projection, true).catch(toBuildError(projection))) return;
      if (!isWaiting) this.logger.log(`Waiting for another instance, which builds version ${version} of the projection ${name}.`);
      await systemTimers.sleep(POLL_MILLISECONDS);
      this.assertNotEnding(projection);
    }
  }

  /** Returns false if another build is in progress, or with `isFirst` if there are tables. */
  private async build(projection: Projection, isFirst: boolean, onProgress: ReplayProgress = () => undefined): Promise<boolean> {
    const startedAt = performance.now();
    // Of its own, so that two builds in one process exclude each other too.
    const leases = new Leases(this.clock);
    const total = await readPosition(this.database.reader, newestPosition);
    const id = await this.database.transaction((transaction) => begin(transaction, leases, projection, isFirst), BUILDING);
    if (id === undefined) return false;
    const title = `version ${projection.version} of the projection ${projection.name}`;
    if (total > 0n) this.logger.log(`Building ${title} from the log.`);
    try {
      for (let done: bigint | undefined = 0n; done !== undefined;) {
        await systemTimers.sleep(PAUSE_MILLISECONDS);
        this.assertNotEnding(projection);
        done = await this.database.transaction((transaction) => this.continueBuild(transaction, leases, projection, id), BUILDING);
        onProgress(done ?? total, total);
      }
    } finally {
      // If it cannot be released, it ends by itself. Durable, which syncs the build too.
      await this.database.transaction((transaction) => leases.releaseNamed(transaction, leaseName(projection))).catch(() => undefined);
    }
    if (total > 0n) this.logger.log(`Built ${title} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
    return true;
  }

  /**
   * Applies the next events to the new tables. If there are no more, replaces the live ones by them, under the write lock, so that none can be
   * appended.
   * @returns the position reached; undefined after the switch
   * @throws BuildOvertakenError if this build stood still for so long that another has begun, or its tables were dropped
   */
  private async continueBuild(
    transaction: WriteTransaction,
    leases: Leases,
    projection: Projection,
    id: string,
  ): Promise<bigint | undefined> {
    const checkpoint = await readCheckpoint(transaction, projection);
    const isHeld = await leases.acquireNamed(transaction, leaseName(projection), LEASE_MILLISECONDS);
    if (!isHeld || checkpoint.rebuildId !== id) throw new BuildOvertakenError(projection.name);
    const generation = checkpoint.generation + 1;
    const target = createTarget(projection, transaction, (name) => buildTableName(name, generation));
    const { position, isComplete } = await applyNext(target, this.registry, projection, { after: checkpoint.rebuildPosition });
    if (!isComplete) {
      saveCheckpoint(transaction, { ...checkpoint, rebuildPosition: position });
      return position;
    }
    for (const name of checkpoint.tables) {
      await transaction.query(sql`DROP TABLE IF EXISTS ${identifier(name)}`);
      await transaction.query(sql`ALTER TABLE ${identifier(buildTableName(name, generation))} RENAME TO ${identifier(name)}`);
    }
    saveCheckpoint(transaction, { ...checkpoint, generation, position, rebuildId: undefined, rebuildPosition: position });
    return undefined;
  }

  /** Drops the tables of abandoned builds; without `keepsLive` all tables of the versions, with their checkpoints. Skips versions being built. */
  private async clear(versions: readonly VersionedName[], keepsLive: boolean): Promise<PrunedProjection[]> {
    const pruned: PrunedProjection[] = [];
    const leases = new Leases(this.clock);
    for (const version of versions) {
      const tables = await this.database.transaction(async (transaction) => {
        if (!(await leases.acquireNamed(transaction, leaseName(version), LEASE_MILLISECONDS))) return undefined;
        const checkpoint = await readCheckpoint(transaction, version);
        const dropped = await dropTables(transaction, checkpoint.tables, (name) => !keepsLive || !checkpoint.tables.includes(name));
        if (!keepsLive) deleteCheckpoint(transaction, version);
        else if (checkpoint.rebuildId !== undefined) saveCheckpoint(transaction, { ...checkpoint, rebuildId: undefined });
        await leases.releaseNamed(transaction, leaseName(version));
        return dropped;
      });
      if (tables) pruned.push({ name: version.name, version: version.version, tables });
    }
    return pruned;
  }

  /** The next start begins it again. */
  private assertNotEnding({ name }: Projection): void {
    if (this.isEnding) throw new ApplicationError('service_unavailable', `The service ends before ${name} is built.`);
  }
}

/**
 * Creates new tables, empty, beside the live ones. Drops what earlier builds have left, whose indexes may have the names of the new ones.
 * @returns the id of the build; undefined if another one is in progress, or with `isFirst` if there are tables
 */
async function begin(transaction: WriteTransaction, leases: Leases, projection: Projection, isFirst: boolean): Promise<string | undefined> {
  const checkpoint = await readCheckpoint(transaction, projection);
  if (isFirst && checkpoint.generation > 0) return undefined;
  if (!(await leases.acquireNamed(transaction, leaseName(projection), LEASE_MILLISECONDS))) return undefined;
  const tables = listLiveTables(projection, transaction.dialect);
  await dropTables(transaction, tables, (name) => checkpoint.generation === 0 || !tables.includes(name));
  const rename = (name: string) => buildTableName(projectionTableName(projection, name), checkpoint.generation + 1);
  for (const table of projection.tables) await createProjectionTable(transaction, table, rename);
  const rebuildId = randomUUID();
  saveCheckpoint(transaction, { ...checkpoint, rebuildId, rebuildPosition: 0n, tables });
  return rebuildId;
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

/** Turns an error of a first build into one that says what to do; a build that was overtaken only waits for the other one. */
function toBuildError({ name, version }: Projection): (error: unknown) => false {
  return (error) => {
    if (error instanceof BuildOvertakenError) return false;
    if (error instanceof ApplicationError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `Version ${version} of the projection ${name} cannot be built from the log: ${reason}. ` +
        'Where events of an earlier form lack what it asks for, their type needs an upcaster.',
      { cause: error },
    );
  };
}

/** The live tables of a version never change, so a query would miss columns that were added without raising it. */
function assertUnchanged(projection: Projection, tables: readonly Table[]): void {
  const { name, version } = projection;
  for (const { name: declared, names: own } of projection.tables) {
    const live = tables.find((table) => table.name === projectionTableName(projection, declared))?.columns;
    if (!live) continue;
    const differing = [...new Set([...own, ...live])].filter((column) => !own.includes(column) || !live.includes(column));
    if (differing.length === 0) continue;
    throw new Error(
      `The projection ${name} has changed (${declared}: ${differing.join(', ')}) but is still version ${version}: raise it, so that the new form is built beside the old one.`,
    );
  }
}
