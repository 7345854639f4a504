import { DataSource, MigrationExecutor, type DataSourceOptions, type QueryRunner } from 'typeorm';
import type { Database } from '../database.js';
import { DatabaseUnavailableError } from '../database.errors.js';
import type { PostgresLocation, PostgresSettings } from '../database-url.js';
import type { ConnectionPurpose, DatabaseEngine, DataSources, ServiceClaim } from '../engine.js';
import type { Migration } from '../migration.js';
import { Availability } from './availability.js';
import { grantRights } from './grant-rights.js';
import { PostgresDatabase } from './postgres-database.js';
import { CLI_PATIENCE_MILLISECONDS, connectionOptions } from './postgres-options.js';
import { assertOwnSessions, findUnsafeSettings } from './server-settings.js';
import { Servers } from './servers.js';

/** Of several processes that migrate at once one does it, the others wait and find it done. */
const MIGRATION_LOCK = 4_201_338;
// One for the transaction that has the write lock, the others for those before it that wait for the disk.
const WRITE_CONNECTIONS = 4;
const DEFAULTS = { applicationName: '', poolSize: 8, timeout: 1_500 };
const PROBE_TIMEOUT_MILLISECONDS = 1_000;

/** A database of a PostgreSQL server, 14 or newer. */
export class PostgresEngine implements DatabaseEngine {
  private readonly url: string;
  private readonly servers: Servers;
  private readonly settings: PostgresSettings;
  private readonly availability: Availability;

  constructor(location: PostgresLocation) {
    this.servers = new Servers(location.url);
    this.url = location.url;
    this.settings = { ...DEFAULTS, migrationUrl: location.url, ...location };
    this.availability = new Availability(async () => {
      await this.servers.find(PROBE_TIMEOUT_MILLISECONDS);
    });
  }

  /** A server serves any number of instances. */
  claim(): ServiceClaim {
    return { release: () => undefined };
  }

  /** The server looks after its files itself. */
  refuseUnusable(): Promise<void> {
    return Promise.resolve();
  }

  explainStartFailure(error: unknown): unknown {
    return error instanceof DatabaseUnavailableError ? error.cause : error;
  }

  writeConnection(purpose: ConnectionPurpose) {
    return this.connection(purpose, WRITE_CONNECTIONS);
  }

  readConnection(purpose: ConnectionPurpose) {
    return this.connection(purpose, this.settings.poolSize);
  }

  async appliedMigrations(): Promise<ReadonlySet<string> | undefined> {
    return this.onOwnConnection(this.connection('cli', 2), async (runner, source) => {
      await assertOwnSessions(source);
      const tables = (await runner.query(`SELECT 1 WHERE to_regclass('migrations') IS NOT NULL`)) as object[];
      if (tables.length === 0) return undefined;
      const rows = (await runner.query('SELECT "name" FROM "migrations"')) as { name: string }[];
      return new Set(rows.map(({ name }) => name));
    });
  }

  async migrate(migrations: readonly Migration[]): Promise<string[]> {
    const { migrationUrl } = this.settings;
    // TypeORM begins its transactions without saying that they write.
    const options = { ...this.connection('cli', WRITE_CONNECTIONS, new Servers(migrationUrl), true), migrations: [...migrations] };
    return this.onOwnConnection(options, async (runner, source) => {
      await runner.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
      // One transaction for the list of migrations, the tables and the rights: who is killed in between leaves nothing behind.
      await runner.startTransaction();
      const applied = await new MigrationExecutor(source, runner).executePendingMigrations();
      if (migrationUrl !== this.url) await grantRights(runner, this.url);
      await runner.commitTransaction();
      return applied.map(({ name }) => name);
    });
  }

  async open({ write, read }: DataSources, purpose: ConnectionPurpose): Promise<Database> {
    return new PostgresDatabase({
      writeSource: write,
      readSource: read,
      snapshotConnection: this.connection('cli', 1),
      availability: this.availability,
      patience: purpose === 'service' ? this.settings.timeout : CLI_PATIENCE_MILLISECONDS,
    });
  }

  findUnsafeSettings(writeSource: DataSource): Promise<string[]> {
    return findUnsafeSettings(writeSource);
  }

  async sizeInBytes(): Promise<number> {
    return this.onOwnConnection(this.readConnection('cli'), async (runner) => {
      const rows = (await runner.query('SELECT pg_database_size(current_database()) AS "bytes"')) as { bytes: string }[];
      return Number(rows[0]?.bytes ?? 0);
    });
  }

  private connection(purpose: ConnectionPurpose, poolSize: number, servers = this.servers, writesUnasked = false) {
    const { applicationName, timeout } = this.settings;
    const bounds = { availability: this.availability, timeout };
    return connectionOptions({ servers, writesUnasked, applicationName, purpose, poolSize, bounds });
  }

  private async onOwnConnection<Result>(
    options: DataSourceOptions,
    work: (runner: QueryRunner, source: DataSource) => Promise<Result>,
  ): Promise<Result> {
    const source = await new DataSource(options).initialize();
    const runner = source.createQueryRunner();
    try {
      return await work(runner, source);
    } finally {
      // A lock of the session ends with its connection.
      await runner.release();
      await source.destroy();
    }
  }
}
