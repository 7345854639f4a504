import { Injectable } from '@nestjs/common';
import { EventStore } from '#libs/event-store';
import { CachedReading } from '#libs/operations';
import { ProjectionStatuses, type ProjectionStatus } from '#libs/projections';
import { RebuildPace } from './rebuild-pace.js';
import { SAMPLE } from './sample.js';

/** How far the log is, and the projections are. */
@Injectable()
export class ProjectionFigures {
  private readonly pace = new RebuildPace();
  private readonly sample = new CachedReading(() => this.list(), SAMPLE);

  constructor(
    private readonly eventStore: EventStore,
    private readonly statuses: ProjectionStatuses,
  ) {}

  /** Both null where they cannot be read. */
  async read(): Promise<object> {
    return (await this.sample.get()) ?? { log: null, projections: null };
  }

  private async list(): Promise<object> {
    const [statuses, position] = await Promise.all([this.statuses.all(), this.eventStore.lastPosition()]);
    const countUntil = (until: bigint) => this.eventStore.countPositions({ after: 0n, until });
    const rebuilds = statuses.flatMap(({ rebuild }) => rebuild ?? []);
    const builds = await Promise.all(rebuilds.map(async (rebuild) => [rebuild.id, await countUntil(rebuild.position)] as const));
    const total = builds.length > 0 ? await countUntil(position) : position;
    const progress = this.pace.observe(new Map(builds), total, performance.now());
    const projections = statuses.map((status) => ({
      ...{ name: status.name, version: status.version, state: stateOf(status) },
      ...{ position: String(status.position), lag: status.lag === null ? null : String(status.lag) },
      rebuild: (status.rebuild && progress.get(status.rebuild.id)) ?? null,
    }));
    return { log: { position: String(position) }, projections };
  }
}

/** A rebuild says nothing of the tables that serve meanwhile, which have a lag of their own. */
function stateOf({ used, generation, rebuild, lag }: ProjectionStatus): string {
  if (!used) return 'unused';
  if (generation === 0) return 'building';
  if (rebuild) return 'rebuilding';
  return lag === 0n ? 'current' : 'behind';
}
