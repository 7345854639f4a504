import { Gauge, Histogram } from 'prom-client';
import type { Database } from '#libs/database';
import { CachedReading, type MetricsRegistry } from '#libs/operations';

const SAMPLE = { freshFor: 10_000, patience: 1_000 };

const LOCK_WAIT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** How long writes wait for the write lock, and what the database takes: that is read at most every ten seconds, and absent while it cannot be read. */
export function registerStorageMetrics(registry: MetricsRegistry, database: Database): void {
  const registers = [registry];
  const lockWaits = new Histogram({
    name: 'adoption_write_lock_wait_seconds',
    help: 'Seconds from the call for a write transaction to the write lock, the turns of this process included',
    buckets: LOCK_WAIT_SECONDS,
    registers,
  });
  database.onLock((seconds) => lockWaits.observe(seconds));
  const sample = new CachedReading(() => database.dialect.storageSize((statement) => database.reader.query(statement)), SAMPLE);
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
