import { Injectable, Logger } from '@nestjs/common';
import { Database, listTables, type Table } from '#libs/database';
import { ApplicationError } from '#libs/errors';
import { type Projection, ProjectionCatalog, BuildOvertakenError } from './projection.js';
import { BuildMonitor } from './projection-build.js';
import { readCheckpoint, type ProjectionCheckpoint } from './projection-checkpoints.js';
import { ProjectionRebuilder } from './projection-rebuilder.js';
import { tableNameOf } from './projection-tables.js';

/** Sees to it that the tables of this build's projections are there. */
@Injectable()
export class ProjectionPreparation {
  private readonly logger = new Logger(ProjectionPreparation.name);
  private readonly underWay = new Map<Projection, Promise<void>>();

  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
    private readonly rebuilder: ProjectionRebuilder,
  ) {}

  /** @throws Error that names a projection which has changed under the same version, or cannot be built from the log */
  async prepareAll(): Promise<void> {
    for (const projection of this.catalog.all()) await this.prepare(projection);
    const tables = await listTables(this.database.reader);
    for (const projection of this.catalog.all()) refuseOtherForm(projection, tables);
  }

  /**
   * Builds the tables of a projection where they are not there. Of many instances that do this together one builds; the others wait
   * for as long as it makes progress, and one of them takes over when it has made none for five seconds.
   */
  prepare(projection: Projection): Promise<void> {
    const running = this.underWay.get(projection);
    if (running) return running;
    const preparation = this.buildOrWait(projection).finally(() => this.underWay.delete(projection));
    this.underWay.set(projection, preparation);
    return preparation;
  }

  private async buildOrWait(projection: Projection): Promise<void> {
    const { name, version } = projection;
    for (let watched: BuildMonitor | undefined; ;) {
      const checkpoint = await readCheckpoint(this.database.reader, projection);
      if (checkpoint.generation > 0) return;
      if (checkpoint.rebuildId === null || watched?.observe(checkpoint) === 'brokenOff') {
        if (await this.build(projection, checkpoint)) return;
        watched = undefined;
      } else {
        if (!watched) this.logger.log(`Waiting for another instance, which builds version ${version} of the projection ${name}.`);
        watched ??= new BuildMonitor();
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

/** The live tables of a version are never changed, so that columns of another form would be asked for in vain. */
function refuseOtherForm(projection: Projection, tables: readonly Table[]): void {
  const { name, version } = projection;
  for (const { name: declared, columns } of projection.tables) {
    const live = tables.find((table) => table.name === tableNameOf(projection, declared));
    const differing = live ? differences(Object.keys(columns), live.columns) : [];
    if (differing.length === 0) continue;
    throw new Error(
      `The projection ${name} has changed (${declared}: ${differing.join(', ')}) but is still version ${version}: raise it, so that the new form is built beside the old one.`,
    );
  }
}

function differences(declared: readonly string[], live: readonly string[]): string[] {
  return [...new Set([...declared, ...live])].filter((column) => !declared.includes(column) || !live.includes(column));
}
