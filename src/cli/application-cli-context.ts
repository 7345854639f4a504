import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { stringifyJson } from '#libs/api-kit';
import { describeLocation, inspectDatabase, refuseNewerDatabase, type DatabaseState, type Migration } from '#libs/database';
import { ApplicationError } from '#libs/errors';
import { AppModule } from '../app.module.js';
import { composition } from '../composition.js';
import { loadConfiguration, type Configuration } from '../config/index.js';
import { openingFailure, printableLine, type OperationsCliContext } from '../operations/index.js';
import type { StandardOutput } from './standard-output.js';

/** The context of one run of the command line. */
export class ApplicationCliContext implements OperationsCliContext {
  private loadedConfiguration: Configuration | undefined;
  private ownApplication: Promise<INestApplicationContext> | undefined;
  private readonly started: Promise<INestApplicationContext>[] = [];
  private failed = false;

  constructor(
    private readonly output: StandardOutput,
    private readonly errors: NodeJS.WritableStream,
    private readonly loadEnvironment: () => Readonly<Record<string, string | undefined>>,
  ) {}

  get migrations(): readonly Migration[] {
    return composition().migrations;
  }

  get scopes(): OperationsCliContext['scopes'] {
    return composition().scopes;
  }

  /** @throws ConfigurationError that names every mistake. */
  configuration(): Configuration {
    return (this.loadedConfiguration ??= loadConfiguration(this.loadEnvironment()));
  }

  /** The same with another database; `MIGRATION_DATABASE_URL` belongs to that one then. */
  configurationOn(databaseUrl: string): Configuration {
    const { DATABASE_URL_FILE, ...environment } = this.loadEnvironment();
    return loadConfiguration({ ...environment, DATABASE_URL: databaseUrl });
  }

  /** @throws ApplicationError `service_unavailable` when the database is missing, not migrated or that of a newer build; it is never created here. */
  application(): Promise<INestApplicationContext> {
    return (this.ownApplication ??= this.startOwn());
  }

  /** The application on another database than its own, which is brought up to date first; closed when the command ends. */
  applicationOn(configuration: Configuration): Promise<INestApplicationContext> {
    const application = NestFactory.createApplicationContext(AppModule.forRoot(configuration, { purpose: 'cli' }), {
      logger: false,
      abortOnError: false,
    });
    this.started.push(application);
    return application;
  }

  printJson(value: unknown): void {
    this.printLine(stringifyJson(value));
  }

  printLine(text: string): void {
    this.output.write(`${text}\n`);
  }

  note(text: string): void {
    this.errors.write(`${printableLine(text)}\n`);
  }

  fail(): void {
    this.failed = true;
  }

  get exitCode(): number {
    return this.failed ? 1 : 0;
  }

  async close(): Promise<void> {
    for (const started of this.started) {
      const application = await started.catch(() => undefined);
      await application?.close();
    }
  }

  /** @throws ApplicationError `service_unavailable` when the database cannot be opened. */
  async databaseState(): Promise<DatabaseState> {
    const { database } = this.configuration();
    try {
      return await inspectDatabase(database, this.migrations);
    } catch (error) {
      throw openingFailure(database, error);
    }
  }

  /** @throws ApplicationError `service_unavailable` when there is no database, or none that can be opened. */
  async requireDatabase(): Promise<DatabaseState> {
    const state = await this.databaseState();
    if (!state.exists) throw notReady(`${describeLocation(this.configuration().database)} does not exist yet`);
    return state;
  }

  private async startOwn(): Promise<INestApplicationContext> {
    const configuration = this.configuration();
    const state = await this.requireDatabase();
    refuseNewerDatabase(configuration.database, state);
    if (state.pendingMigrations.length > 0) throw notReady(`${describeLocation(configuration.database)} is not up to date`);
    return this.applicationOn(configuration);
  }
}

function notReady(state: string): ApplicationError {
  return new ApplicationError('service_unavailable', `The database ${state}: start the service once or run "npm run cli -- db migrate".`);
}
