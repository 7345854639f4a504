import type { INestApplicationContext } from '@nestjs/common';
import type { CliContext } from '#libs/cli';
import {
  assertDatabaseCurrent,
  DatabaseUnavailableError,
  describeLocation,
  inspectDatabase,
  type DatabaseLocation,
  type DatabaseState,
} from '#libs/database';
import type { ComposedModules } from '#libs/http';
import { ApplicationError, cliCommand, printableLine } from '#libs/observability';
import { loadConfiguration, type Configuration } from '../../config/index.js';

/** The context of operators' commands. */
export interface OperationsCliContext extends CliContext {
  /** Loads the code of the application. */
  service(): Promise<ServiceAccess>;
}

/** The configuration, the database and the applications of one command. */
export class ServiceAccess {
  private loadedConfiguration: Configuration | undefined;
  private ownApplication: Promise<INestApplicationContext> | undefined;
  private readonly applications: Promise<INestApplicationContext>[] = [];

  constructor(
    readonly environment: Readonly<Record<string, string | undefined>>,
    readonly modules: Pick<ComposedModules, 'migrations' | 'settings'>,
    private readonly createApplication: (configuration: Configuration) => Promise<INestApplicationContext>,
  ) {}

  /** @throws ConfigurationError that names every mistake */
  configuration(): Configuration {
    return (this.loadedConfiguration ??= loadConfiguration(this.environment, this.modules.settings));
  }

  /** Reads the configuration with another database, to which `MIGRATION_DATABASE_URL` then belongs. */
  configurationOn(databaseUrl: string): Configuration {
    const { DATABASE_URL_FILE, ...environment } = this.environment;
    return loadConfiguration({ ...environment, DATABASE_URL: databaseUrl }, this.modules.settings);
  }

  /** Opens the application on its database, which it never creates or migrates. @throws ApplicationError as `assertUsable` does */
  application(): Promise<INestApplicationContext> {
    return (this.ownApplication ??= this.databaseState().then((state) => {
      this.assertUsable(state);
      return this.openOn(this.configuration());
    }));
  }

  /** Opens the application on another database, which is migrated first. */
  openOn(configuration: Configuration): Promise<INestApplicationContext> {
    const application = this.createApplication(configuration);
    this.applications.push(application);
    return application;
  }

  /** @throws ApplicationError `service_unavailable` if the database cannot be opened */
  async databaseState(): Promise<DatabaseState> {
    const { database } = this.configuration();
    return inspectDatabase(database, this.modules.migrations).catch((error: unknown) => {
      throw toOpeningError(database, error);
    });
  }

  /** @throws ApplicationError `service_unavailable` if the database is missing, not migrated, or of a newer build */
  assertUsable(state: DatabaseState): void {
    this.assertExists(state);
    assertDatabaseCurrent(this.configuration().database, state);
    if (state.pendingMigrations.length > 0) throw this.notReady('is not up to date: run');
  }

  /** @throws ApplicationError `service_unavailable` */
  assertExists({ exists }: DatabaseState): void {
    if (!exists) throw this.notReady('does not exist. Mount the disk that has it, or restore a backup; for a new database run');
  }

  /** Closes all applications. */
  async close(): Promise<void> {
    for (const opening of this.applications) {
      const application = await opening.catch(() => undefined);
      await application?.close();
    }
  }

  private notReady(state: string): ApplicationError {
    const database = `The database ${describeLocation(this.configuration().database)} ${state}`;
    return new ApplicationError('service_unavailable', `${database} "${cliCommand('db migrate')}".`);
  }
}

/** Describes an error in one line for standard error. Shows an operator why the database cannot be used; no client sees the cause. */
export function toErrorLine(error: unknown): string {
  if (!(error instanceof ApplicationError)) return printableLine(`The command failed: ${getReason(error)}`);
  const hasCause = error instanceof DatabaseUnavailableError && error.cause instanceof Error;
  return printableLine(hasCause ? `${error.message} (${getReason(error.cause)})` : error.message);
}

/** Makes an error of opening a database name it: `service_unavailable`, unless it is an ApplicationError already. */
export function toOpeningError(location: DatabaseLocation, cause: unknown): ApplicationError {
  if (cause instanceof ApplicationError) return cause;
  const message = `The database ${describeLocation(location)} cannot be opened: ${getReason(cause)}.`;
  return new ApplicationError('service_unavailable', message, { cause });
}

function getReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
