import type { DataSource, DataSourceOptions, MigrationInterface } from 'typeorm';
import type { Database } from './database.js';

/** A migration class; its name ends in the 13-digit time of its writing, which orders the list. */
export type Migration = new () => MigrationInterface;

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

/** What a database tells of itself. */
export interface StoredState {
  /** Names of the migrations that have run. */
  readonly applied: ReadonlySet<string>;
  /** The place of its content, if it was transferred there for good. */
  readonly movedTo?: string | undefined;
}

/** One location of a kind of database. */
export interface DatabaseEngine {
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
  /** Returns undefined if there is no database yet. Changes nothing. */
  readState(): Promise<StoredState | undefined>;
  /** Runs the pending migrations, in exactly one of several processes that try. Returns the names of those that ran. */
  migrate(migrations: readonly Migration[]): Promise<string[]>;
  /** Opens the database on two pools made with the options above for the same purpose. */
  open(sources: DataSources, purpose: ConnectionPurpose): Promise<Database>;
  /** Returns a sentence for each setting of the server that breaks a promise of the service. */
  findUnsafeSettings?(writeSource: DataSource): Promise<string[]>;
  sizeInBytes(): Promise<number>;
}
