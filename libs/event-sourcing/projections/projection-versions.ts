import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { countPositions, newestPositionSql, readPosition } from '../event-store/sequences.js';
import { Leases } from '../processes/leases.js';
import { clearTables } from './projection-build.js';
import type { ProjectionCheckpoint } from './projection-checkpoint.entity.js';
import { readCheckpoint, readCheckpoints, type VersionedName } from './projection-checkpoints.js';
import { listTextIndexes, ProjectionCatalog, projectionTableName, type Projection } from './projection.js';

/** The state of one version of a projection. */
export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  /** False for a version of an older or newer build. */
  readonly used: boolean;
  readonly generation: number;
  readonly position: bigint;
  /** False if the tables do not exist or lack an event that the projection handles; null for a version of another build. */
  readonly upToDate: boolean | null;
  /** Positions of the log up to the newest event that it handles; null for a version of another build. */
  readonly lag: bigint | null;
  /** The build that runs beside its tables, or has stopped; null if there is none. */
  readonly rebuild: { readonly id: string; readonly position: bigint } | null;
}

/** Tells how far all versions of the projections are. */
@Injectable()
export class ProjectionStatuses {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
  ) {}

  /** The versions of this build come first. */
  async all(): Promise<ProjectionStatus[]> {
    const used = await Promise.all(this.catalog.all().map((projection) => this.read(projection)));
    const others = (await readCheckpoints(this.database.reader)).filter((checkpoint) => !this.catalog.uses(checkpoint));
    return [...used, ...others.map((checkpoint) => ({ ...toStatus(checkpoint), used: false, upToDate: null, lag: null }))];
  }

  /** Returns the names of the projections whose texts are searched without an index, since the server has none to offer. */
  async withoutTextIndex(): Promise<string[]> {
    const { reader, dialect } = this.database;
    const found = this.catalog.all().map(async (projection) => {
      if ((await readCheckpoint(reader, projection)).generation === 0) return [];
      const indexes = projection.tables.flatMap((table) => listTextIndexes(table, (name) => projectionTableName(projection, name)));
      const rows = await Promise.all(indexes.map((index) => reader.query(dialect.textSearch.findIndex(index))));
      return rows.some((each) => each.length === 0) ? [projection.name] : [];
    });
    return (await Promise.all(found)).flat();
  }

  private async read(projection: Projection): Promise<ProjectionStatus> {
    // In this order, so that events appended in between do not count as lag.
    const last = await readPosition(this.database.reader, newestPositionSql(projection.eventTypes));
    const checkpoint = await readCheckpoint(this.database.reader, projection);
    const { generation, position } = checkpoint;
    const lag = await countPositions(this.database.reader, { after: position, until: last });
    return { ...toStatus(checkpoint), used: true, upToDate: generation > 0 && lag === 0n, lag };
  }
}

function toStatus({ name, version, generation, position, rebuildId, rebuildPosition }: ProjectionCheckpoint) {
  return { name, version, generation, position, rebuild: rebuildId === undefined ? null : { id: rebuildId, position: rebuildPosition } };
}

/** The tables that were removed of a version. */
type PrunedProjection = Pick<ProjectionCheckpoint, 'name' | 'version' | 'tables'>;

/** Removes what other builds, and rebuilds that have stopped, have left. */
@Injectable()
export class ProjectionPruning {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
    private readonly leases: Leases,
  ) {}

  /**
   * Removes the versions that this build does not use, and abandoned tables; a version that is being built stays. An instance that still
   * uses such a version builds it again.
   */
  async prune(): Promise<PrunedProjection[]> {
    const others = (await readCheckpoints(this.database.reader)).filter((checkpoint) => !this.catalog.uses(checkpoint));
    return [...(await this.clear(others, false)), ...(await this.removeAbandoned())];
  }

  /** Removes unused tables of the versions that this build uses: replaced ones, and those of a rebuild that was interrupted. */
  async removeAbandoned(): Promise<PrunedProjection[]> {
    return (await this.clear(this.catalog.all(), true)).filter(({ tables }) => tables.length > 0);
  }

  private async clear(versions: readonly VersionedName[], keepsLive: boolean): Promise<PrunedProjection[]> {
    const pruned: PrunedProjection[] = [];
    for (const { name, version } of versions) {
      const tables = await this.database.transaction((transaction) => clearTables(transaction, this.leases, { name, version, keepsLive }));
      if (tables) pruned.push({ name, version, tables });
    }
    return pruned;
  }
}
