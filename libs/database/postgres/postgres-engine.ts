import { Logger } from '@nestjs/common';
import { DataSource, MigrationExecutor, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { ApplicationError, StartupError } from '#libs/observability';
import type { Database } from '../database.js';
import { describeLocation, serverUrls, type PostgresLocation, type PostgresSettings } from '../database-url.js';
import type { ConnectionPurpose, DataSources } from '../engine.js';
import { sessionName } from '../instances.js';
import { migrationClass, type Migration } from '../migration.js';
import { RefusedWrites } from '../entities/refused-writes.subscriber.js';
import { PostgresDatabase } from './postgres-database.js';
import { postgresDialect } from './postgres.dialect.js';
import { DurableReads } from './postgres-transaction.js';
import { assertOwnSessions, findUnsafeSettings, ServerClient, Servers, type SessionSettings } from './servers.js';

/** One of several processes that migrate at once does it; the others wait and find it done. */
const MIGRATION_LOCK = 4_201_338;
// One for the transaction that has the write lock, the others for those before it that wait for the disk.
const WRITE_CONNECTIONS = 4;
// That read. At least two, by which it is seen whether a pooler mixes sessions.
const CLI_CONNECTIONS = 4;
const DEFAULTS = { applicationName: '', poolSize: 8, timeout: 1_500 };
/** A command may wait as long for the lock as it does on SQLite. */
const CLI_TIMEOUT_MILLISECONDS = 10_000;
// The server gives up a little earlier than the client, so that a lock that is held is no reason to end a connection.
const SERVER_MARGIN_MILLISECONDS = 250;
// How the server notices that the machine of a session has vanished, for which Linux by default waits two hours: probes of an idle
// connection, and the time in which what was sent has to arrive.
const VANISHED = { tcp_keepalives_idle: '5', tcp_keepalives_interval: '2', tcp_keepalives_count: '3', tcp_user_timeout: '10000' };

/** A database of a PostgreSQL server, 14 or newer. */
export class PostgresEngine {
  readonly dialect = postgresDialect;
  private readonly servers: Servers;
  private readonly settings: PostgresSettings;

  constructor(private readonly location: PostgresLocation) {
    this.servers = new Servers(location.url);
    this.settings = { ...DEFAULTS, migrationUrl: location.url, ...location };
  }

  /** Explains to an operator the error of a start that failed. */
  explainStartFailure(error: unknown): unknown {
    // A code tells an error of the network or the server from one of the service.
    if (!(error instanceof Error && 'code' in error) || error instanceof ApplicationError) return error;
    return new StartupError(`DATABASE_URL ${describeLocation(this.location)} cannot be used: ${error.message}`, { cause: error });
  }

  writeConnection(purpose: ConnectionPurpose) {
    return this.connection(purpose, WRITE_CONNECTIONS);
  }

  readConnection(purpose: ConnectionPurpose) {
    const poolSize = purpose === 'service' ? this.settings.poolSize : CLI_CONNECTIONS;
    return { ...this.connection(purpose, poolSize), subscribers: [RefusedWrites, DurableReads] };
  }

  /** Runs the pending migrations, in exactly one of several processes that try. Returns the names of those that ran. */
  async migrate(migrations: readonly Migration[]): Promise<string[]> {
    const { migrationUrl } = this.settings;
    // TypeORM begins its transactions without saying that they write.
    const connection = this.connection('cli', WRITE_CONNECTIONS, { servers: new Servers(migrationUrl), writesUnasked: true });
    const classes = migrations.map((migration) => migrationClass(migration, this.dialect));
    const source = await new DataSource({ ...connection, migrations: classes }).initialize();
    const runner = source.createQueryRunner();
    try {
      await assertOwnSessions(source);
      await runner.query(`SELECT pg_advisory_lock(${MIGRATION_LOCK})`);
      // One transaction for the list of migrations, the tables and the rights: a process that is killed leaves nothing unfinished.
      await runner.startTransaction();
      const applied = await new MigrationExecutor(source, runner).executePendingMigrations();
      if (migrationUrl !== this.location.url) await grantRights(runner, this.location.url);
      await runner.commitTransaction();
      return applied.map(({ name }) => name);
    } finally {
      // The lock ends with its connection.
      await runner.release();
      await source.destroy();
    }
  }

  /**
   * Opens the database on two pools made with the options above for the same purpose. For a service it warns of settings of the server that
   * break a promise.
   * @throws Error if a pooler mixes sessions
   */
  async open(sources: DataSources, purpose: ConnectionPurpose): Promise<Database> {
    const isService = purpose === 'service';
    await assertOwnSessions(sources.write);
    if (isService) for (const setting of await findUnsafeSettings(sources.write)) new Logger('Database').warn(setting);
    return new PostgresDatabase(sources, isService ? this.settings.timeout : CLI_TIMEOUT_MILLISECONDS, isService);
  }

  /**
   * Options of a pool of connections to the primary. For the service each wait has an end. Unless it `writesUnasked`, the server refuses
   * writes meant for a transaction that never began.
   */
  private connection(
    purpose: ConnectionPurpose,
    poolSize: number,
    { servers, writesUnasked } = { servers: this.servers, writesUnasked: false },
  ) {
    const { applicationName, timeout } = this.settings;
    const isService = purpose === 'service';
    return {
      type: 'postgres',
      url: servers.url,
      applicationName: isService && applicationName ? sessionName(applicationName) : applicationName,
      poolSize,
      installExtensions: false,
      extra: {
        Client: ServerClient,
        ...(isService && { maxSilenceMilliseconds: timeout }),
        connectionTimeoutMillis: isService ? timeout : CLI_TIMEOUT_MILLISECONDS,
        servers,
        settings: {
          default_transaction_read_only: writesUnasked ? 'off' : 'on',
          ...(isService ? serviceTimeouts(timeout) : { lock_timeout: String(CLI_TIMEOUT_MILLISECONDS) }),
          ...VANISHED,
        } satisfies SessionSettings,
        // Statements are sent without waiting for the answers of earlier ones.
        pipeline: true,
        keepAlive: true,
      },
    } as const satisfies DataSourceOptions;
  }
}

function serviceTimeouts(timeout: number): SessionSettings {
  const onServer = String(Math.max(1, timeout - SERVER_MARGIN_MILLISECONDS));
  return {
    statement_timeout: onServer,
    lock_timeout: onServer,
    // A process that stops in the middle of a write transaction must not hold the lock that all others need.
    idle_in_transaction_session_timeout: String(timeout),
  };
}

/**
 * Gives the role of `url`, which serves, its rights on the tables of the migrating role: all except changing or removing events. It creates
 * the tables of projections itself.
 */
async function grantRights(runner: QueryRunner, url: string): Promise<void> {
  const user = decodeURIComponent(new URL(serverUrls(url)[0] ?? '').username);
  if (user === '') return;
  const role = `"${user.replaceAll('"', '""')}"`;
  // Not all tables of the schema: those of the projections belong to the serving role already.
  const owned = (await runner.query(
    `SELECT format('%I', "schemaname") AS "schema", format('%I.%I', "schemaname", "tablename") AS "table"
     FROM pg_tables WHERE "schemaname" = current_schema() AND "tableowner" = current_user`,
  )) as { schema: string; table: string }[];
  const statements = [
    ...new Set(owned.map(({ schema }) => `GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${role}`)),
    ...owned.map(({ table }) => `GRANT SELECT, INSERT, UPDATE, DELETE ON ${table} TO ${role}`),
    `REVOKE UPDATE, DELETE, TRUNCATE ON "events" FROM ${role}`,
    `REVOKE INSERT, UPDATE, DELETE ON "migrations" FROM ${role}`,
  ];
  for (const statement of statements) await runner.query(statement);
}
