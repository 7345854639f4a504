import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Database, listTables, type Table } from '#libs/database';
import { ApplicationError, Clock, systemTimers } from '#libs/observability';
import { EventRegistry } from '../event-store/event.js';
import { newestPosition, readPosition } from '../event-store/sequences.js';
import { Leases } from '../processes/leases.js';
import { beginBuild, clearTables, continueBuild, releaseLease } from './projection-build.js';
import { readCheckpoint } from './projection-checkpoints.js';
import { BuildOvertakenError, ProjectionCatalog, projectionTableName, type Projection } from './projection.js';

/** Called with the positions of the log that are done and in total. */
export type ReplayProgress = (done: bigint, total: bigint) => void;

const POLL_MILLISECONDS = 100;
// In which a service on the same file gets the write lock, for which it looks every 2 ms.
const PAUSE_MILLISECONDS = 4;
// What the log holds can be made again; what follows the switch syncs it.
const BUILDING = { durable: false };

/** Builds the tables of projections from the log, beside the live ones, which are used until the switch. */
@Injectable()
export class ProjectionRebuilder implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ProjectionRebuilder.name);
  private readonly preparing = new Map<Projection, Promise<void>>();
  private readonly leases: Leases;
  private isEnding = false;

  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
    private readonly registry: EventRegistry,
    clock: Clock,
  ) {
    // Of its own, so that this process does not prune what it builds.
    this.leases = new Leases(clock);
  }

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

  /** Returns false if another process builds the tables, or with `isFirst` has built them. */
  private async build(projection: Projection, isFirst: boolean, onProgress: ReplayProgress = () => undefined): Promise<boolean> {
    const startedAt = performance.now();
    const { leases, registry } = this;
    const total = await readPosition(this.database.reader, newestPosition);
    const id = await this.database.transaction((transaction) => beginBuild(transaction, leases, { projection, isFirst }), BUILDING);
    if (id === undefined) return false;
    const title = `version ${projection.version} of the projection ${projection.name}`;
    if (total > 0n) this.logger.log(`Building ${title} from the log.`);
    try {
      for (let done: bigint | undefined = 0n; done !== undefined;) {
        await systemTimers.sleep(PAUSE_MILLISECONDS);
        this.assertNotEnding(projection);
        done = await this.database.transaction((transaction) => continueBuild(transaction, leases, { projection, id, registry }), BUILDING);
        onProgress(done ?? total, total);
      }
    } catch (error) {
      // If it cannot be released, it ends by itself.
      await this.database.transaction((transaction) => releaseLease(transaction, leases, projection), BUILDING).catch(() => undefined);
      throw error;
    }
    if (total > 0n) this.logger.log(`Built ${title} in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s.`);
    await this.database.transaction((transaction) => clearTables(transaction, leases, { ...projection, keepsLive: true }));
    return true;
  }

  /** The next start begins it again. */
  private assertNotEnding({ name }: Projection): void {
    if (this.isEnding) throw new ApplicationError('service_unavailable', `The service ends before ${name} is built.`);
  }
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
