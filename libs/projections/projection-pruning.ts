import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { type Projection, ProjectionCatalog } from './projection.js';
import { discardBuild, dropAbandonedTables, removeVersion, BuildMonitor } from './projection-build.js';
import { readCheckpoint, readCheckpoints } from './projection-checkpoints.js';

/** What was removed of a version. */
export interface PrunedProjection {
  readonly name: string;
  readonly version: number;
  readonly tables: readonly string[];
}

/** Removes what other builds have left, and what rebuilds have left that were broken off. */
@Injectable()
export class ProjectionPruning {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
  ) {}

  /** Removes the versions that this build does not use, and abandoned tables. An instance that still runs on such a version builds its tables anew. */
  async prune(): Promise<PrunedProjection[]> {
    const pruned: PrunedProjection[] = [];
    const others = (await readCheckpoints(this.database.reader)).filter((checkpoint) => !this.catalog.uses(checkpoint));
    for (const { name, version } of others) {
      pruned.push({ name, version, tables: await this.database.write((transaction) => removeVersion(transaction, { name, version })) });
    }
    return [...pruned, ...(await this.removeAbandoned())];
  }

  /**
   * Removes tables that nobody uses of the versions that this build uses: what a rebuild has replaced, and what one has built by half
   * that was broken off. Waits five seconds to tell such a one from one that goes on, which is left alone.
   * @param isEnding asked now and then; when it is true, builds are not waited for any more.
   */
  async removeAbandoned(isEnding: () => boolean = () => false): Promise<PrunedProjection[]> {
    const pruned: PrunedProjection[] = [];
    for (const projection of this.catalog.all()) {
      await this.endBrokenOffBuild(projection, isEnding);
      const tables = await this.database.write((transaction) => dropAbandonedTables(transaction, projection));
      if (tables.length > 0) pruned.push({ name: projection.name, version: projection.version, tables });
    }
    return pruned;
  }

  /** Not a first one, whose tables are needed: that is begun anew by who needs them. */
  private async endBrokenOffBuild(projection: Projection, isEnding: () => boolean): Promise<void> {
    for (const watched = new BuildMonitor(); !isEnding();) {
      const checkpoint = await readCheckpoint(this.database.reader, projection);
      if (checkpoint.generation === 0 || checkpoint.rebuildId === null) return;
      const seen = watched.observe(checkpoint);
      if (seen === 'wentOn') return;
      if (seen === 'brokenOff') return this.database.write((transaction) => discardBuild(transaction, checkpoint));
      await BuildMonitor.pause();
    }
  }
}
