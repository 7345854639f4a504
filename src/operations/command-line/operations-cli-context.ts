import type { INestApplicationContext } from '@nestjs/common';
import type { CliContext } from '#libs/cli';
import type { DatabaseState, Migration } from '#libs/database';
import type { Configuration } from '../../config/index.js';

/** The context of operators' commands. */
export interface OperationsCliContext extends CliContext {
  /** The service's configuration and database. Loads the code of the application. */
  service(): Promise<ServiceAccess>;
}

export interface ServiceAccess {
  /** All migrations that this build knows, oldest first. */
  readonly migrations: readonly Migration[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** @throws ConfigurationError that names every mistake. */
  configuration(): Configuration;
  /** Reads the configuration with another database, to which `MIGRATION_DATABASE_URL` then belongs. */
  configurationOn(databaseUrl: string): Configuration;
  /** Opens the application on another database, which is brought up to date first; closed when the command ends. */
  openOn(configuration: Configuration): Promise<INestApplicationContext>;
  /** @throws ApplicationError `service_unavailable` when the database cannot be opened. */
  databaseState(): Promise<DatabaseState>;
  /** @throws ApplicationError `service_unavailable` when there is no database, or none that can be opened. */
  requireDatabase(): Promise<DatabaseState>;
}
