import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { Database, listTables, type Table } from '#libs/database';
import { ApplicationError, systemTimers } from '#libs/observability';
import { EventRegistry } from '../event-store/event.js';
import { EventReader } from '../event-store/read-events.js';
import { lastStoredPosition } from '../event-store/stored-log.js';
import { applyToBuild, beginBuild, dropAbandonedTables, hasBuildStopped, switchTables, type ProjectionBuild } from './projection-build.js';
import { readCheckpoint, type ProjectionCheckpoint } from './projection-checkpoints.js';
import { BuildOvertakenError, EVENTS_IN_ONE_TRANSACTION, ProjectionCatalog, projectionTableName, type Projection } from './projection.js';

/** Called with the positions of the log that are done and in total. */
export type ReplayProgress = (done: bigint, total: bigint) => void;

const PAUSE_MILLISECONDS = 1;

/** Builds the tables of projections from the log, beside the live ones, which are used until the switch. */
@Injectable()
export class ProjectionRebuilder implements BeforeApplicationShutdown {
  private readonly logger = new Logger(ProjectionRebuilder.name);
  private readonly preparing = new Map<Projection, Promise<void>>();
  private isEnding = false;

  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
    private readonly registry: EventRegistry,
  ) {}

  /**
   * Builds the tables of a projection again and switches to the new ones in one transaction.
   * @throws ApplicationError `invalid_parameter` for an unknown name.
   * @throws BuildOvertakenError if a later rebuild of the same projection took over.
   */
  async rebuild(name: string, onProgress: ReplayProgress = () => undefined): Promise<void> {
    const projection = this.catalog.find(name);
    if (!projection) {
      const known = this.catalog.all().map((each) => each.name);
      throw new ApplicationError('invalid_parameter', `There is no projection ${name}; there are ${known.join(', ')}.`);
    }
    await this.complete(await this.database.write((transaction) => beginBuild(transaction, projection)), onProgress);
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
   * Builds the tables of a projection if they do not exist. Of many instances that do this together one builds; the others wait
   * as long as it makes progress, and one of them takes over when it has made none for five seconds.
   */
  prepare(projection: Projection): Promise<void> {
    const running = this.preparing.get(projection);
    if (running) return running;
    const preparation = this.buildOrWait(projection).finally(() => this.preparing.delete(projection));
    this.preparing.set(projection, preparation);
    return preparation;
  }

  /** Ends a build in progress, of tables that another build of the service has removed. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isEnding = true;
    await Promise.allSettled(this.preparing.values());
  }

  private async buildOrWait(projection: Projection): Promise<void> {
    const { name, version } = projection;
    for (let isWaiting = false; ;) {
      const checkpoint = await readCheckpoint(this.database.reader, projection);
      if (checkpoint.generation > 0) return;
      if (checkpoint.rebuildId !== null) {
        if (!isWaiting) this.logger.log(`Waiting for another instance, which builds version ${version} of the projection ${name}.`);
        isWaiting = true;
        if (!(await hasBuildStopped(this.database.reader, checkpoint))) continue;
      }
      if (await this.buildFirst(projection, checkpoint)) return;
      isWaiting = false;
    }
  }

  /** Returns false if another process has built the tables, or begun to, since `seen` was read, or has taken over. */
  private async buildFirst(projection: Projection, seen: ProjectionCheckpoint): Promise<boolean> {
    try {
      const build = await this.database.write(async (transaction) => {
        const { generation, rebuildId } = await readCheckpoint(transaction, projection);
        return generation === 0 && rebuildId === seen.rebuildId ? beginBuild(transaction, projection) : undefined;
      });
      if (build) await this.complete(build);
      return build !== undefined;
    } catch (error) {
      if (error instanceof BuildOvertakenError) return false;
      if (error instanceof ApplicationError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(
        `Version ${projection.version} of the projection ${projection.name} cannot be built from the log: ${reason}. ` +
          'Where events of an earlier form lack what it asks for, their type needs an upcaster.',
        { cause: error },
      );
    }
  }

  private async complete(build: ProjectionBuild, onProgress: ReplayProgress = () => undefined): Promise<void> {
    const { name, version, eventTypes: types } = build.projection;
    const startedAt = performance.now();
    const total = await lastStoredPosition(this.database.reader);
    if (total > 0n) this.logger.log(`Building version ${version} of the projection ${name} from the log.`);
    const position = await this.fill(build, (done) => onProgress(done, total));
    await this.database.write(async (transaction) => {
      // Nothing can be appended under the write lock.
      const rest = await new EventReader(transaction, this.registry).readAll({ types, after: position, limit: Number.MAX_SAFE_INTEGER });
      await applyToBuild(transaction, build, rest);
      await switchTables(transaction, build, rest.at(-1)?.position ?? position);
    });
    onProgress(total, total);
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    if (total > 0n) this.logger.log(`Built version ${version} of the projection ${name} in ${seconds} s.`);
    await this.database.write((transaction) => dropAbandonedTables(transaction, build.projection));
  }

  /**
   * Fills the new tables in short transactions until less than one of them is left. None of them is synced: the switch syncs them all.
   * @returns the position reached
   */
  private async fill(build: ProjectionBuild, onProgress: (done: bigint) => void): Promise<bigint> {
    const reader = new EventReader(this.database.reader, this.registry);
    const types = build.projection.eventTypes;
    let pausedUntil = 0;
    for (let position = 0n; ;) {
      // The next start begins it again.
      if (this.isEnding) throw new ApplicationError('service_unavailable', `The service ends before ${build.projection.name} is built.`);
      const events = await reader.readAll({ types, after: position, limit: EVENTS_IN_ONE_TRANSACTION });
      const last = events.at(-1);
      if (!last || events.length < EVENTS_IN_ONE_TRANSACTION) return position;
      // Reading the events has been part of the pause, in which others can write.
      const pause = pausedUntil - performance.now();
      await (pause > 0 ? systemTimers.sleep(pause) : nextTurn());
      await this.database.write((transaction) => applyToBuild(transaction, build, events), { durable: false });
      position = last.position;
      onProgress(position);
      pausedUntil = performance.now() + PAUSE_MILLISECONDS;
    }
  }
}

/** The live tables of a version never change, so a query would miss columns that were added without raising it. */
function assertUnchanged(projection: Projection, tables: readonly Table[]): void {
  const { name, version } = projection;
  for (const { name: declared, columns } of projection.tables) {
    const live = tables.find((table) => table.name === projectionTableName(projection, declared))?.columns;
    if (!live) continue;
    const own = Object.keys(columns);
    const differing = [...new Set([...own, ...live])].filter((column) => !own.includes(column) || !live.includes(column));
    if (differing.length === 0) continue;
    throw new Error(
      `The projection ${name} has changed (${declared}: ${differing.join(', ')}) but is still version ${version}: raise it, so that the new form is built beside the old one.`,
    );
  }
}
