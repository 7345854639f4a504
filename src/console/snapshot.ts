import { hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { Clock, CachedReading, Health, MetricsRegistry } from '#libs/observability';
import { countInstances, Database } from '#libs/database';
import { EventStore, ReadModels, type ProjectionStatus } from '#libs/event-sourcing';
import { VERSION } from '../config/index.js';
import { ConsoleKeys } from './console-keys.js';
import { readValues, sumsBy } from './metrics.js';
import { CONSOLE_OPTIONS, type ConsoleOptions } from './password.js';

/** How long a reading of the database is reused, for all open pages, and how long a page waits for one, in milliseconds. Pages ask once a second. */
const READING = { maxAge: 900, maxWaitMilliseconds: 800 };

const SERVICE = {
  title: 'Animal adoption service',
  version: VERSION,
  node: process.version,
  host: hostname(),
  process: process.pid,
  startedAt: Math.round(performance.timeOrigin),
};

/** Instances on a database that has no connections. */
const ALONE = { count: 1, connections: null };

/** Everything that the page shows beside plots and log. The database is read at most once a second, however many pages are open. */
@Injectable()
export class Snapshot {
  private readonly instances: CachedReading<object>;
  private readonly keys: CachedReading<object>;
  private readonly projections: CachedReading<object>;

  constructor(
    @Inject(CONSOLE_OPTIONS) private readonly options: ConsoleOptions,
    private readonly clock: Clock,
    private readonly health: Health,
    private readonly registry: MetricsRegistry,
    private readonly database: Database,
    keys: ConsoleKeys,
    private readonly eventStore: EventStore,
    private readonly readModels: ReadModels,
  ) {
    this.instances = new CachedReading(async () => (await countInstances(database)) ?? ALONE, READING);
    this.keys = new CachedReading(() => keys.latest(), READING);
    this.projections = new CachedReading(() => this.readProjections(), READING);
  }

  /** Parts that cannot be read within a second are null. */
  async read(): Promise<object> {
    const [health, limiter, instances, keys, projections] = await Promise.all([
      this.health.report(),
      this.limiter(),
      this.instances.get(),
      this.keys.get(),
      this.projections.get(),
    ]);
    const database = this.database.dialect.name === 'sqlite' ? 'SQLite' : 'PostgreSQL';
    return {
      now: this.clock.now().getTime(),
      service: { ...SERVICE, deployment: this.options.deployment, database },
      health: { ...health, parts: Object.entries(health.parts).map(([name, result]) => ({ name, ...result })) },
      limiter,
      instances: instances ?? null,
      keys: keys ?? null,
      ...(projections ?? { log: null, projections: null }),
    };
  }

  private async limiter(): Promise<object> {
    const modes = await readValues(this.registry, 'adoption_rate_limit_counting');
    const tracked = sumsBy(await readValues(this.registry, 'adoption_rate_limit_tracked'), (labels) => String(labels['counted_by']));
    return {
      counting: modes.find(({ value }) => value === 1)?.labels['mode'] ?? null,
      tracked: { keys: tracked.get('key') ?? 0, addresses: tracked.get('address') ?? 0 },
    };
  }

  /** How far the log is, and how far the projections are. */
  private async readProjections(): Promise<object> {
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
