import { Injectable } from '@nestjs/common';
import { EventStore, ReadModels, type ProjectionStatus } from '#libs/event-sourcing';

/** How far the log is, and how far the projections are. */
@Injectable()
export class ProjectionFigures {
  constructor(
    private readonly eventStore: EventStore,
    private readonly readModels: ReadModels,
  ) {}

  async read(): Promise<object> {
    const [statuses, position] = await Promise.all([this.readModels.statuses(), this.eventStore.lastPosition()]);
    const projections = statuses.map(async (status) => ({
      ...{ name: status.name, version: status.version, state: getProjectionState(status) },
      ...{ position: String(status.position), lag: status.lag === null ? null : String(status.lag) },
      rebuild: status.rebuild && { percent: await this.computePercent(status.rebuild.position, position) },
    }));
    return { log: { position: String(position) }, projections: await Promise.all(projections) };
  }

  /** The log has gaps, so that positions are counted. */
  private async computePercent(built: bigint, last: bigint): Promise<number> {
    const [done, total] = await Promise.all([built, last].map((until) => this.eventStore.countPositions({ after: 0n, until })));
    return total ? Math.min(100, Math.round((Number(done) / Number(total)) * 1_000) / 10) : 0;
  }
}

/** During a rebuild the tables that serve have a lag of their own. */
function getProjectionState({ used, generation, rebuild, lag }: ProjectionStatus): string {
  if (!used) return 'unused';
  if (generation === 0) return 'building';
  if (rebuild) return 'rebuilding';
  return lag === 0n ? 'current' : 'behind';
}
