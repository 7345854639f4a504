import { Injectable } from '@nestjs/common';
import { EventStore, ProjectionStatuses, type ProjectionStatus } from '#libs/event-sourcing';

const STANDSTILL_MILLISECONDS = 5_000;

/** How far the log is, and how far the projections are. */
@Injectable()
export class ProjectionFigures {
  private readonly pace = new RebuildPace();

  constructor(
    private readonly eventStore: EventStore,
    private readonly statuses: ProjectionStatuses,
  ) {}

  async read(): Promise<object> {
    const [statuses, position] = await Promise.all([this.statuses.all(), this.eventStore.lastPosition()]);
    const countUntil = (until: bigint) => this.eventStore.countPositions({ after: 0n, until });
    const rebuilds = statuses.flatMap(({ rebuild }) => rebuild ?? []);
    const builds = await Promise.all(rebuilds.map(async (rebuild) => [rebuild.id, await countUntil(rebuild.position)] as const));
    const total = builds.length > 0 ? await countUntil(position) : position;
    const progress = this.pace.observe(new Map(builds), total, performance.now());
    const projections = statuses.map((status) => ({
      ...{ name: status.name, version: status.version, state: getProjectionState(status) },
      ...{ position: String(status.position), lag: status.lag === null ? null : String(status.lag) },
      rebuild: (status.rebuild && progress.get(status.rebuild.id)) ?? null,
    }));
    return { log: { position: String(position) }, projections };
  }
}

/** During a rebuild the tables that serve have a lag of their own. */
function getProjectionState({ used, generation, rebuild, lag }: ProjectionStatus): string {
  if (!used) return 'unused';
  if (generation === 0) return 'building';
  if (rebuild) return 'rebuilding';
  return lag === 0n ? 'current' : 'behind';
}

/** The progress of building a projection's tables. */
export interface RebuildProgress {
  readonly percent: number;
  /** At the average pace since the build was first seen; null until that is known. */
  readonly remainingSeconds: number | null;
  /** No progress for five seconds: the build was interrupted. */
  readonly standsStill: boolean;
}

interface ObservedBuild {
  readonly first: { readonly at: number; readonly position: number };
  readonly position: number;
  readonly movedAt: number;
}

/** Observes builds and estimates when they will be done. */
export class RebuildPace {
  private builds = new Map<string, ObservedBuild>();

  /**
   * Records the positions of all running builds, and forgets others.
   * @param now in milliseconds of a monotonic clock
   * @param total the position at which a build is done
   */
  observe(builds: ReadonlyMap<string, bigint>, total: bigint, now: number): ReadonlyMap<string, RebuildProgress> {
    this.builds = new Map([...builds].map(([id, position]) => [id, observeBuild(this.builds.get(id), Number(position), now)]));
    return new Map([...this.builds].map(([id, build]) => [id, toRebuildProgress(build, Number(total), now)]));
  }
}

function observeBuild(before: ObservedBuild | undefined, position: number, now: number): ObservedBuild {
  if (!before) return { first: { at: now, position }, position, movedAt: now };
  return position === before.position ? before : { first: before.first, position, movedAt: now };
}

function toRebuildProgress({ first, position, movedAt }: ObservedBuild, total: number, now: number): RebuildProgress {
  const percent = total === 0 ? 0 : Math.min(100, Math.round((position / total) * 1_000) / 10);
  const standsStill = now - movedAt > STANDSTILL_MILLISECONDS;
  const pace = (position - first.position) / (now - first.at);
  const isKnown = pace > 0 && !standsStill;
  return { percent, remainingSeconds: isKnown ? Math.ceil(Math.max(0, total - position) / pace / 1_000) : null, standsStill };
}
