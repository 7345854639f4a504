import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { countPositions, newestPositionSql, readPosition } from '../event-store/sequences.js';
import { readCheckpoint, readCheckpoints, type ProjectionCheckpoint } from './projection-checkpoints.js';
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
