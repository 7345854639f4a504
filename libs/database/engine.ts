import type { DataSource, DataSourceOptions } from 'typeorm';
import type { Database } from './database.js';
import type { Migration } from './migration.js';

/** What a connection is for: the service never waits long, a command of the command line may. */
export type ConnectionPurpose = 'service' | 'cli';

/** The connections of a database, which are open. */
export interface DataSources {
  readonly write: DataSource;
  readonly read: DataSource;
}

/** What a service has claimed of a database for as long as it runs. */
export interface ServiceClaim {
  release(): void;
}

/** What a kind of database does in its own way, for one location. */
export interface DatabaseEngine {
  /** Makes this process the service of a database that serves one alone. @throws Error when another is that already. */
  claim(): ServiceClaim;
  /** @throws Error when a migrated database cannot be served as it is: it is damaged, or may not be written. */
  refuseUnusable(migrations: readonly Migration[]): Promise<void>;
  /** The error that kept a service from starting, as an operator needs it. */
  explainStartFailure(error: unknown): unknown;
  /** The connection that writes. */
  writeConnection(purpose: ConnectionPurpose): DataSourceOptions;
  /** A connection that cannot write. */
  readConnection(purpose: ConnectionPurpose): DataSourceOptions;
  /** Names of the migrations that have run; undefined where there is no database yet. Creates and changes nothing. */
  appliedMigrations(): Promise<ReadonlySet<string> | undefined>;
  /** Runs what is pending; of several processes at once exactly one does it. Returns the names of those that ran. */
  migrate(migrations: readonly Migration[]): Promise<string[]>;
  /** The database on two connections that were made with the options above for this purpose. */
  open(sources: DataSources, purpose: ConnectionPurpose): Promise<Database>;
  /** Sentences on settings of the server that break what the service promises; none when all is well. */
  findUnsafeSettings(writeSource: DataSource): Promise<string[]>;
  /** What the database takes on disk. */
  sizeInBytes(): Promise<number>;
}
