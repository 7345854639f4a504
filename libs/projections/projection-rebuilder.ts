import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database, type WriteTransaction } from '#libs/database';
import { ApplicationError } from '#libs/errors';
import { EventRegistry, EventStore, readLog } from '#libs/event-store';
import type { Projection } from './projection.js';
import { beginBuild, buildTarget, confirmBuild, dropRetiredTables, switchTables, type ProjectionBuild } from './projection-build.js';
import { ProjectionCatalog } from './projection-catalog.js';
import { lastHandledPosition, readCheckpoint } from './projection-checkpoints.js';
import { applyHandled, type ReplayProgress } from './replay.js';

/** What `projections status` shows. */
export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  readonly generation: number;
  readonly position: bigint;
  /** False while the tables lack an event that the projection handles, or were built by another version of it. */
  readonly upToDate: boolean;
}

// One transaction of this many events takes about 20 ms, so a service on the same database goes on writing.
const EVENTS_IN_ONE_TRANSACTION = 1_000;
const PAUSE_MILLISECONDS = 1;

/** Builds the tables of projections from the log: beside the live ones, which serve on until the switch. */
@Injectable()
export class ProjectionRebuilder {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly store: EventStore,
  ) {}

  /** Builds every projection that has never been built or was built by another version. */
  async ensureCurrent(): Promise<void> {
    for (const projection of this.catalog.all()) {
      const { version } = await readCheckpoint(this.database.reader, projection.name);
      if (version !== projection.version) await this.rebuild(projection.name);
    }
  }

  async status(): Promise<ProjectionStatus[]> {
    return Promise.all(this.catalog.all().map((projection) => this.statusOf(projection)));
  }

  /**
   * Builds a projection anew and switches to the new tables in one transaction.
   * @throws ApplicationError `invalid_parameter` for an unknown name, `service_unavailable` when a later rebuild of the same
   *   projection took over.
   */
  async rebuild(name: string, onProgress: ReplayProgress = () => undefined): Promise<ProjectionStatus> {
    const projection = this.find(name);
    const build = await this.database.write((transaction) => beginBuild(transaction, projection));
    const total = await this.store.lastPosition();
    const position = await this.fill(build, (done) => {
      onProgress(done, total);
    });
    await this.database.write((transaction) => this.finish(transaction, build, position));
    onProgress(total, total);
    await this.database.write((transaction) => dropRetiredTables(transaction, build));
    return this.statusOf(projection);
  }

  /** Fills the new tables in short transactions until less than one of them is left. Returns the position reached. */
  private async fill(build: ProjectionBuild, onProgress: (done: bigint) => void): Promise<bigint> {
    for (let position = 0n; ;) {
      const events = await readLog(this.database.reader, this.registry, { after: position, limit: EVENTS_IN_ONE_TRANSACTION });
      if (events.length < EVENTS_IN_ONE_TRANSACTION) return position;
      await this.database.write(async (transaction) => {
        await confirmBuild(transaction, build);
        await applyHandled(build.projection, events, buildTarget(transaction, build));
      });
      position = events.at(-1)?.position ?? position;
      onProgress(position);
      await delay(PAUSE_MILLISECONDS);
    }
  }

  /** Catches up under the write lock, where nothing more can be appended, and puts the new tables in place of the live ones. */
  private async finish(transaction: WriteTransaction, build: ProjectionBuild, after: bigint): Promise<void> {
    await confirmBuild(transaction, build);
    const events = await readLog(transaction, this.registry, { after, limit: Number.MAX_SAFE_INTEGER });
    await applyHandled(build.projection, events, buildTarget(transaction, build));
    await switchTables(transaction, build);
  }

  private async statusOf(projection: Projection): Promise<ProjectionStatus> {
    const { version, generation, position } = await readCheckpoint(this.database.reader, projection.name);
    const last = await lastHandledPosition(this.database.reader, projection);
    return { name: projection.name, version, generation, position, upToDate: version === projection.version && position >= last };
  }

  private find(name: string): Projection {
    const projection = this.catalog.find(name);
    if (projection) return projection;
    const known = this.catalog.all().map((each) => each.name);
    throw new ApplicationError('invalid_parameter', `There is no projection ${name}; there are ${known.join(', ')}.`);
  }
}
