import { Injectable, Logger } from '@nestjs/common';
import { Database, listTables, type Table } from '#libs/database';
import { ApplicationError } from '#libs/observability';
import { BuildMonitor } from './projection-build.js';
import { readCheckpoint, type ProjectionCheckpoint } from './projection-checkpoints.js';
import { ProjectionRebuilder } from './projection-rebuilder.js';
import { projectionTableName } from './projection-tables.js';
import { BuildOvertakenError, ProjectionCatalog, type Projection } from './projection.js';

/** Builds the missing tables of this build's projections. */
@Injectable()
export class ProjectionPreparation {
  private readonly logger = new Logger(ProjectionPreparation.name);
  private readonly running = new Map<Projection, Promise<void>>();

  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
    private readonly rebuilder: ProjectionRebuilder,
  ) {}

  /** @throws Error that names a projection which has changed under the same version, or cannot be built from the log */
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
    const running = this.running.get(projection);
    if (running) return running;
    const preparation = this.buildOrWait(projection).finally(() => this.running.delete(projection));
    this.running.set(projection, preparation);
    return preparation;
  }

  private async buildOrWait(projection: Projection): Promise<void> {
    const { name, version } = projection;
    for (let monitor: BuildMonitor | undefined; ;) {
      const checkpoint = await readCheckpoint(this.database.reader, projection);
      if (checkpoint.generation > 0) return;
      if (checkpoint.rebuildId === null || monitor?.observe(checkpoint) === 'stopped') {
        if (await this.build(projection, checkpoint)) return;
        monitor = undefined;
      } else {
        if (!monitor) this.logger.log(`Waiting for another instance, which builds version ${version} of the projection ${name}.`);
        monitor ??= new BuildMonitor();
        await BuildMonitor.pause();
      }
    }
  }

  private async build(projection: Projection, seen: ProjectionCheckpoint): Promise<boolean> {
    try {
      return await this.rebuilder.buildFirst(projection, seen);
    } catch (error) {
      if (error instanceof BuildOvertakenError) return false;
      if (error instanceof ApplicationError) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new Error(
        `Version ${projection.version} of the projection ${projection.name} cannot be built from the log: ${reason}. Where events of an earlier form lack what it asks for, their type needs an upcaster.`,
        { cause: error },
      );
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
