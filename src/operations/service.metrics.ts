import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge, Histogram } from 'prom-client';
import { Clock, Health, MetricsRegistry, CachedReading } from '#libs/observability';
import { Database } from '#libs/database';
import { EventStore, ProjectionStatuses } from '#libs/event-sourcing';

/** Registers the metrics of the process, the database, the projections, the clock and readiness. */
@Injectable()
export class ServiceMetrics {
  constructor(
    registry: MetricsRegistry,
    health: Health,
    database: Database,
    eventStore: EventStore,
    projections: ProjectionStatuses,
    clock: Clock,
  ) {
    collectDefaultMetrics({ register: registry, prefix: registry.prefix });
    registerHealthMetrics(registry, health);
    registerProjectionMetrics(registry, { eventStore, projections });
    registerStorageMetrics(registry, database);
    registerClockMetrics(registry, clock);
  }
}

/** Registers the difference between this machine's clock and the database's. */
function registerClockMetrics(registry: MetricsRegistry, clock: Clock): void {
  const skew = new Gauge({
    name: 'adoption_clock_skew_seconds',
    help: "Seconds by which this machine's clock is ahead of the database's, by which all instances go; negative if it is behind",
    registers: [registry],
    collect() {
      skew.set(clock.skew / 1_000);
    },
  });
}

/** Registers readiness and the state of each part. */
function registerHealthMetrics(registry: MetricsRegistry, health: Health): void {
  const registers = [registry];
  const ready = new Gauge({
    name: 'adoption_ready',
    help: '1 while the service may get requests, else 0',
    registers,
    async collect() {
      ready.set((await health.report()).status === 'ready' ? 1 : 0);
    },
  });
  const parts = new Gauge({
    name: 'adoption_part_state',
    help: '1 for the state that a part of the service is in, 0 for the others',
    labelNames: ['part', 'state'],
    registers,
    async collect() {
      for (const [part, { state }] of Object.entries((await health.report()).parts)) {
        for (const each of ['ready', 'degraded', 'unavailable']) parts.set({ part, state: each }, each === state ? 1 : 0);
      }
    },
  });
}

const PROJECTION_SAMPLE = { maxAge: 1_000, patience: 1_000 };

/** Registers the positions of the log and the projections: read at most once a second, absent while they cannot be read. */
function registerProjectionMetrics(
  registry: MetricsRegistry,
  { eventStore, projections }: { readonly eventStore: EventStore; readonly projections: ProjectionStatuses },
): void {
  const registers = [registry];
  const log = new CachedReading(() => eventStore.lastPosition(), PROJECTION_SAMPLE);
  const statuses = new CachedReading(() => projections.all(), PROJECTION_SAMPLE);
  const logPosition = new Gauge({
    name: 'adoption_log_position',
    help: 'Position of the newest event in the log',
    registers,
    async collect() {
      logPosition.remove();
      const position = await log.get();
      if (position !== undefined) logPosition.set(Number(position));
    },
  });
  const position = new Gauge({
    name: 'adoption_projection_position',
    help: 'Position of the newest event that a projection has applied; it stands still while events come that it does not handle',
    labelNames: ['projection', 'version'],
    registers,
    async collect() {
      position.reset();
      for (const { name, version, position: reached } of (await statuses.get()) ?? []) {
        position.set({ projection: name, version }, Number(reached));
      }
    },
  });
  const upToDate = new Gauge({
    name: 'adoption_projection_up_to_date',
    help: '1 where a projection of this build has applied every event that it handles, else 0',
    labelNames: ['projection', 'version'],
    registers,
    async collect() {
      upToDate.reset();
      for (const { name, version, upToDate: isUpToDate } of (await statuses.get()) ?? []) {
        if (isUpToDate !== null) upToDate.set({ projection: name, version }, isUpToDate ? 1 : 0);
      }
    },
  });
}

const STORAGE_SAMPLE = { maxAge: 10_000, patience: 1_000 };

const LOCK_WAIT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Registers waits for the write lock, and sizes: read at most every ten seconds, absent while they cannot be read. */
function registerStorageMetrics(registry: MetricsRegistry, database: Database): void {
  const registers = [registry];
  const lockWaits = new Histogram({
    name: 'adoption_write_lock_wait_seconds',
    help: 'Seconds from the call for a write transaction to the write lock, the turns of this process included',
    buckets: LOCK_WAIT_SECONDS,
    registers,
  });
  database.onLock((seconds) => lockWaits.observe(seconds));
  const sample = new CachedReading(() => database.dialect.storageSize((statement) => database.reader.query(statement)), STORAGE_SAMPLE);
  const bytes = new Gauge({
    name: 'adoption_database_size_bytes',
    help: 'Size of the database; of SQLite the file without its write-ahead log',
    registers,
    async collect() {
      bytes.remove();
      const size = await sample.get();
      if (size) bytes.set(size.bytes);
    },
  });
  const tableRows = new Gauge({
    name: 'adoption_table_rows',
    help: 'Rows of each table, the log being "events"; on PostgreSQL the estimate of its planner',
    labelNames: ['table'],
    registers,
    async collect() {
      tableRows.reset();
      for (const { table, rows } of (await sample.get())?.tables ?? []) if (rows !== undefined) tableRows.set({ table }, rows);
    },
  });
  const tableBytes = new Gauge({
    name: 'adoption_table_size_bytes',
    help: 'Size of each table with its indexes, the log being "events"; on PostgreSQL alone',
    labelNames: ['table'],
    registers,
    async collect() {
      tableBytes.reset();
      for (const { table, bytes: size } of (await sample.get())?.tables ?? []) if (size !== undefined) tableBytes.set({ table }, size);
    },
  });
}
