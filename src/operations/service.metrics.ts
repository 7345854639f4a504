import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Histogram } from 'prom-client';
import { Clock, countDroppedLines, Health, MetricsRegistry, CachedReading, type Sample } from '#libs/observability';
import { Database } from '#libs/database';
import { EventStore, ReadModels } from '#libs/event-sourcing';

const STORAGE_SAMPLE = { maxAge: 10_000, maxWaitMilliseconds: 1_000 };
const HEALTH_STATES = ['ready', 'degraded', 'unavailable'];
const LOCK_WAIT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Registers the metrics of the process, the database, the projections, the clock and readiness. */
@Injectable()
export class ServiceMetrics {
  constructor(
    private readonly registry: MetricsRegistry,
    health: Health,
    database: Database,
    eventStore: EventStore,
    readModels: ReadModels,
    clock: Clock,
  ) {
    collectDefaultMetrics({ register: registry, prefix: registry.prefix });
    this.registerHealth(health);
    this.registerProjections(eventStore, readModels);
    this.registerStorage(database);
    this.registry.addGauge(
      'adoption_log_lines_dropped',
      'Lines of the log that were dropped since the start, because nothing took them',
      () => [[countDroppedLines()]],
    );
    const skewHelp =
      "Seconds by which this machine's clock is ahead of the database's, by which all instances go; negative if it is behind";
    this.registry.addGauge('adoption_clock_skew_seconds', skewHelp, () => [[clock.skew / 1_000]]);
  }

  private registerHealth(health: Health): void {
    this.registry.addGauge('adoption_ready', '1 while the service may get requests, else 0', async () => [
      [(await health.report()).status === 'ready' ? 1 : 0],
    ]);
    this.registry.addGauge(
      'adoption_part_state',
      '1 for the state that a part of the service is in, 0 for the others',
      async () => {
        const parts = Object.entries((await health.report()).parts);
        return parts.flatMap(([part, found]) => HEALTH_STATES.map((state): Sample => [state === found.state ? 1 : 0, { part, state }]));
      },
      ['part', 'state'],
    );
  }

  /** The positions of the log and the projections are read at most once a second, and absent while they cannot be read. */
  private registerProjections(eventStore: EventStore, readModels: ReadModels): void {
    const log = new CachedReading(() => eventStore.lastPosition());
    const statuses = new CachedReading(() => readModels.statuses());
    const labelNames = ['projection', 'version'];
    this.registry.addGauge('adoption_log_position', 'Position of the newest event in the log', async () => [[await log.get()]]);
    this.registry.addGauge(
      'adoption_projection_position',
      'Position of the newest event that a projection has applied; it stands still while events come that it does not handle',
      async () => ((await statuses.get()) ?? []).map(({ name, version, position }) => [position, { projection: name, version }]),
      labelNames,
    );
    this.registry.addGauge(
      'adoption_projection_up_to_date',
      '1 if a projection of this build has applied every event that it handles, else 0',
      async () => {
        const known = ((await statuses.get()) ?? []).filter(({ upToDate }) => upToDate !== null);
        return known.map(({ name, version, upToDate }) => [upToDate ? 1 : 0, { projection: name, version }]);
      },
      labelNames,
    );
  }

  /** Sizes are read at most every ten seconds, and absent while they cannot be read. */
  private registerStorage(database: Database): void {
    const lockWaits = new Histogram({
      name: 'adoption_write_lock_wait_seconds',
      help: 'Seconds from the call for a write transaction to the write lock, the turns of this process included',
      buckets: LOCK_WAIT_SECONDS,
      registers: [this.registry],
    });
    database.onLock((seconds) => lockWaits.observe(seconds));
    const sample = new CachedReading(() => database.dialect.storageSize((statement) => database.reader.query(statement)), STORAGE_SAMPLE);
    const readTables = async (column: 'rows' | 'bytes') => {
      const { tables = [] } = (await sample.get()) ?? {};
      return tables.map(({ table, [column]: value }): Sample => [value, { table }]);
    };
    this.registry.addGauge(
      'adoption_database_size_bytes',
      'Size of the database; of SQLite the file without its write-ahead log',
      async () => [[(await sample.get())?.bytes]],
    );
    this.registry.addGauge(
      'adoption_write_ahead_log_size_bytes',
      'Size of the write-ahead log beside the database file; only on SQLite',
      async () => [[(await sample.get())?.writeAheadLogBytes]],
    );
    const rowsHelp = 'Rows of each table, the log being "events"; on PostgreSQL the estimate of its planner';
    this.registry.addGauge('adoption_table_rows', rowsHelp, () => readTables('rows'), ['table']);
    const bytesHelp = 'Size of each table with its indexes, the log being "events"; only on PostgreSQL';
    this.registry.addGauge('adoption_table_size_bytes', bytesHelp, () => readTables('bytes'), ['table']);
  }
}
