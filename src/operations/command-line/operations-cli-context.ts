import type { INestApplicationContext } from '@nestjs/common';
import type { CliContext } from '#libs/cli-kit';
import type { DatabaseState, Migration } from '#libs/database';
import type { Configuration, NearVariable } from '../../config/index.js';

/** What the commands of operators need beside what every command has. */
export interface OperationsCliContext extends CliContext {
  /** All migrations that this build knows, oldest first. */
  readonly migrations: readonly Migration[];
  /** @throws ConfigurationError that names every mistake. */
  configuration(): Configuration;
  /** The same with another database; `MIGRATION_DATABASE_URL` belongs to that one then. */
  configurationOn(databaseUrl: string): Configuration;
  /** The variables that are set, mean nothing here and are nearly one that does. */
  nearVariables(): readonly NearVariable[];
  /** The application on another database than its own, which is brought up to date first; closed when the command ends. */
  applicationOn(configuration: Configuration): Promise<INestApplicationContext>;
  /** @throws ApplicationError `service_unavailable` when the database cannot be opened. */
  databaseState(): Promise<DatabaseState>;
  /** @throws ApplicationError `service_unavailable` when there is no database, or none that can be opened. */
  requireDatabase(): Promise<DatabaseState>;
}
