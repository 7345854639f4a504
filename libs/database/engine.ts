import type { DataSource, DataSourceOptions } from 'typeorm';
import type { Database } from './database.js';
import type { Migration } from './migration.js';
import type { Dialect } from './sql.js';

/** The user of a connection: the service never waits long, a command may. */
export type ConnectionPurpose = 'service' | 'cli';

/** The open connections of a database. */
export interface DataSources {
  readonly write: DataSource;
  readonly read: DataSource;
}

/** The right to serve a database, until it is released. */
export interface ServiceClaim {
  release(): void;
}

export interface ClaimOptions {
  /** Whether a database file that is missing is made, rather than refused: the disk that has it may not be mounted. */
  readonly creates: boolean;
}

/** One location of a kind of database. */
export interface DatabaseEngine {
  readonly dialect: Dialect;
  /** Whether a file has no content yet. */
  isMissing?(): boolean;
  /** Reserves a database that only one service may serve. @throws Error if another service has it. */
  claim?(options: ClaimOptions): ServiceClaim;
  /** @throws Error if a migrated database is damaged or cannot be written. */
  assertUsable?(): Promise<void>;
  /** Explains to an operator the error of a start that failed. */
  explainStartFailure(error: unknown): unknown;
  /** Options of the pool that writes: one connection on SQLite, four on PostgreSQL. */
  writeConnection(purpose: ConnectionPurpose): DataSourceOptions;
  /** Options of the pool that cannot write. */
  readConnection(purpose: ConnectionPurpose): DataSourceOptions;
  /** Runs the pending migrations, in exactly one of several processes that try. Returns the names of those that ran. */
  migrate(migrations: readonly Migration[]): Promise<string[]>;
  /**
   * Opens the database on two pools made with the options above for the same purpose. For a service it warns of settings of the server that
   * break a promise.
   * @throws Error if a pooler mixes sessions
   */
  open(sources: DataSources, purpose: ConnectionPurpose): Promise<Database>;
}
