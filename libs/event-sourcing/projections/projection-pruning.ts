import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { BuildMonitor, discardBuild, dropAbandonedTables, removeVersion } from './projection-build.js';
import { readCheckpoint, readCheckpoints } from './projection-checkpoints.js';
import { ProjectionCatalog, type Projection } from './projection.js';

/** The tables that were removed of a version. */
interface PrunedProjection {
  readonly name: string;
  readonly version: number;
  readonly tables: readonly string[];
}

/** Removes what other builds, and rebuilds that have stopped, have left. */
@Injectable()
export class ProjectionPruning {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
  ) {}

  /** Removes the versions that this build does not use, and abandoned tables. An instance that still uses such a version builds it again. */
  async prune(): Promise<PrunedProjection[]> {
    const pruned: PrunedProjection[] = [];
    const others = (await readCheckpoints(this.database.reader)).filter((checkpoint) => !this.catalog.uses(checkpoint));
    for (const { name, version } of others) {
      pruned.push({ name, version, tables: await this.database.write((transaction) => removeVersion(transaction, { name, version })) });
    }
    return [...pruned, ...(await this.removeAbandoned())];
  }

  /**
   * Removes unused tables of the versions that this build uses: replaced ones, and those of a rebuild that has made no progress for
   * five seconds. A rebuild that makes progress is left alone.
   * @param isEnding asked now and then; if it returns true, builds are not waited for any more.
   */
  async removeAbandoned(isEnding: () => boolean = () => false): Promise<PrunedProjection[]> {
    const pruned: PrunedProjection[] = [];
    for (const projection of this.catalog.all()) {
      await this.endStoppedBuild(projection, isEnding);
      const tables = await this.database.write((transaction) => dropAbandonedTables(transaction, projection));
      if (tables.length > 0) pruned.push({ name: projection.name, version: projection.version, tables });
    }
    return pruned;
  }

  /** Leaves a first build alone: readers need its tables and begin it again. */
  private async endStoppedBuild(projection: Projection, isEnding: () => boolean): Promise<void> {
    for (const monitor = new BuildMonitor(); !isEnding();) {
      const checkpoint = await readCheckpoint(this.database.reader, projection);
      if (checkpoint.generation === 0 || checkpoint.rebuildId === null) return;
      const progress = monitor.observe(checkpoint);
      if (progress === 'advanced') return;
      if (progress === 'stopped') return this.database.write((transaction) => discardBuild(transaction, checkpoint));
      await BuildMonitor.pause();
    }
  }
}
