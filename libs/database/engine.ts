import type { DataSource } from 'typeorm';

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
