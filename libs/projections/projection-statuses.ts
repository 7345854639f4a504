import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import type { Projection } from './projection.js';
import { ProjectionCatalog } from './projection-catalog.js';
import { lastHandledPosition, readCheckpoint, readCheckpoints } from './projection-checkpoints.js';

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
    return [
      ...used,
      ...others.map(({ name, version, generation, position }) => ({ name, version, used: false, generation, position, upToDate: null })),
    ];
  }

  private async of(projection: Projection): Promise<ProjectionStatus> {
    // In this order, so that what is appended in between is not taken for what it lacks.
    const last = await lastHandledPosition(this.database.reader, projection);
    const { name, version, generation, position } = await readCheckpoint(this.database.reader, projection);
    return { name, version, used: true, generation, position, upToDate: generation > 0 && position >= last };
  }
}
