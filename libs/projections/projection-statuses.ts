import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { countPositions } from '#libs/event-store';
import { type Projection, ProjectionCatalog } from './projection.js';
import { lastHandledPosition, readCheckpoint, readCheckpoints, type ProjectionCheckpoint } from './projection-checkpoints.js';

/** What `projections status` shows of one version of a projection. */
export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  /** False for a version that this build does not use: that of an older or newer build. */
  readonly used: boolean;
  readonly generation: number;
  readonly position: bigint;
  /** False while the tables lack an event that the projection handles or are not there; null where that cannot be told, for another build's. */
  readonly upToDate: boolean | null;
  /** From its position to that of the newest event that it handles, in positions of the log; null for another build's. */
  readonly lag: bigint | null;
  /** The build that is under way beside its tables, or was broken off; null where there is none. */
  readonly rebuild: { readonly id: string; readonly position: bigint } | null;
}

/** Tells how far the projections are, those of other builds too. */
@Injectable()
export class ProjectionStatuses {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
  ) {}

  /** This build's first. */
  async all(): Promise<ProjectionStatus[]> {
    const used = await Promise.all(this.catalog.all().map((projection) => this.of(projection)));
    const others = (await readCheckpoints(this.database.reader)).filter((checkpoint) => !this.catalog.uses(checkpoint));
    return [...used, ...others.map((checkpoint) => ({ ...standingOf(checkpoint), used: false, upToDate: null, lag: null }))];
  }

  private async of(projection: Projection): Promise<ProjectionStatus> {
    // In this order, so that what is appended in between is not taken for what it lacks.
    const last = await lastHandledPosition(this.database.reader, projection);
    const checkpoint = await readCheckpoint(this.database.reader, projection);
    const { generation, position } = checkpoint;
    const lag = await countPositions(this.database.reader, { after: position, until: last });
    return { ...standingOf(checkpoint), used: true, upToDate: generation > 0 && lag === 0n, lag };
  }
}

function standingOf({ name, version, generation, position, rebuildId, rebuildPosition }: ProjectionCheckpoint) {
  return { name, version, generation, position, rebuild: rebuildId === null ? null : { id: rebuildId, position: rebuildPosition } };
}
