import { hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { Clock, CachedReading, Health, MetricsRegistry } from '#libs/observability';
import { countInstances, Database } from '#libs/database';
import { VERSION } from '../config/index.js';
import { ConsoleKeys } from './console-keys.js';
import { CONSOLE_OPTIONS, type ConsoleOptions } from './console-options.js';
import { readValues, sumsBy } from './metrics.js';
import { ProjectionFigures } from './projection-figures.js';

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
    projections: ProjectionFigures,
  ) {
    this.instances = new CachedReading(async () => (await countInstances(database)) ?? ALONE, READING);
    this.keys = new CachedReading(() => keys.latest(), READING);
    this.projections = new CachedReading(() => projections.read(), READING);
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
}
