import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database, pipelined, type WriteTransaction } from '#libs/database';
import { ApplicationError } from '#libs/observability';
import { EventRegistry } from '../event-store/event.js';
import { EventStore } from '../event-store/event-store.js';
import { readEventsOfTypes } from '../event-store/read-events.js';
import { EVENTS_IN_ONE_TRANSACTION } from './live-projections.js';
import {
  assertBuildCurrent,
  beginBuild,
  beginFirstBuild,
  buildTarget,
  dropAbandonedTables,
  switchTables,
  type ProjectionBuild,
} from './projection-build.js';
import { advanceRebuild, type ProjectionCheckpoint } from './projection-checkpoints.js';
import { ProjectionCatalog, type Projection } from './projection.js';

/** Called with the positions of the log that are done and in total. */
export type ReplayProgress = (done: bigint, total: bigint) => void;

const PAUSE_MILLISECONDS = 1;

/** Builds the tables of projections from the log, beside the live ones, which are used until the switch. */
@Injectable()
export class ProjectionRebuilder {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly store: EventStore,
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
   * Builds tables that do not exist.
   * @returns false if another process has built them, or began to, since `seen` was read.
   * @throws BuildOvertakenError if a later rebuild of the same projection took over.
   */
  async buildFirst(projection: Projection, seen: ProjectionCheckpoint): Promise<boolean> {
    const build = await this.database.write((transaction) => beginFirstBuild(transaction, projection, seen));
    if (build) await this.complete(build);
    return build !== undefined;
  }

  private async complete(build: ProjectionBuild, onProgress: ReplayProgress = () => undefined): Promise<void> {
    const total = await this.store.lastPosition();
    const position = await this.fill(build, (done) => onProgress(done, total));
    await this.database.write((transaction) => this.finish(transaction, build, position));
    onProgress(total, total);
    await this.database.write((transaction) => dropAbandonedTables(transaction, build.projection));
  }

  /**
   * Fills the new tables in short transactions until less than one of them is left. None of them is synced: the switch syncs them all.
   * @returns the position reached
   */
  private async fill(build: ProjectionBuild, onProgress: (done: bigint) => void): Promise<bigint> {
    const { projection } = build;
    let pausedUntil = 0;
    for (let position = 0n; ;) {
      const page = { types: projection.eventTypes, after: position, limit: EVENTS_IN_ONE_TRANSACTION };
      const events = await readEventsOfTypes(this.database.reader, this.registry, page);
      const last = events.at(-1);
      if (!last || events.length < EVENTS_IN_ONE_TRANSACTION) return position;
      // Reading the events has been part of the pause, in which others can write.
      const pause = pausedUntil - performance.now();
      await (pause > 0 ? delay(pause) : nextTurn());
      await this.database.write(
        async (transaction) => {
          await assertBuildCurrent(transaction, build);
          await pipelined([
            projection.project(events, buildTarget(transaction, build)),
            advanceRebuild(transaction, projection, last.position),
          ]);
        },
        { durable: false },
      );
      position = last.position;
      onProgress(position);
      pausedUntil = performance.now() + PAUSE_MILLISECONDS;
    }
  }

  /** Catches up under the write lock, where nothing more can be appended, and puts the new tables in place of the live ones. */
  private async finish(transaction: WriteTransaction, build: ProjectionBuild, after: bigint): Promise<void> {
    await assertBuildCurrent(transaction, build);
    const page = { types: build.projection.eventTypes, after, limit: Number.MAX_SAFE_INTEGER };
    const events = await readEventsOfTypes(transaction, this.registry, page);
    if (events.length > 0) await build.projection.project(events, buildTarget(transaction, build));
    await switchTables(transaction, build, events.at(-1)?.position ?? after);
  }
}
