import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { stringifyJson } from '#libs/api-kit';
import type { CliContext } from '#libs/cli-kit';
import { inspectDatabase, type DatabaseState } from '#libs/database';
import { ApplicationError } from '#libs/errors';
import { AppModule } from '../app.module.js';
import { loadConfiguration, type Configuration } from '../config/index.js';
import { migrations } from '../migrations.js';
import { oneLine } from './one-line.js';
import type { StandardOutput } from './standard-output.js';

/** The context of one run of the command line. */
export class ApplicationCliContext implements CliContext {
  private loadedConfiguration: Configuration | undefined;
  private startedApplication: Promise<INestApplicationContext> | undefined;
  private failed = false;

  constructor(
    private readonly output: StandardOutput,
    private readonly errors: NodeJS.WritableStream,
    private readonly loadEnvironment: () => Readonly<Record<string, string | undefined>>,
  ) {}

  /** @throws ConfigurationError that names every mistake. */
  configuration(): Configuration {
    return (this.loadedConfiguration ??= loadConfiguration(this.loadEnvironment()));
  }

  /** @throws ApplicationError `service_unavailable` when the database is missing or not migrated; it is never created here. */
  application(): Promise<INestApplicationContext> {
    return (this.startedApplication ??= this.start());
  }

  printJson(value: unknown): void {
    this.printLine(stringifyJson(value));
  }

  printLine(text: string): void {
    this.output.write(`${text}\n`);
  }

  note(text: string): void {
    this.errors.write(`${oneLine(text)}\n`);
  }

  fail(): void {
    this.failed = true;
  }

  get exitCode(): number {
    return this.failed ? 1 : 0;
  }

  async close(): Promise<void> {
    const application = await this.startedApplication?.catch(() => undefined);
    await application?.close();
  }

  /** @throws ApplicationError `service_unavailable` when the database cannot be opened. */
  async databaseState(): Promise<DatabaseState> {
    const { database } = this.configuration();
    try {
      return await inspectDatabase(database, migrations);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ApplicationError('service_unavailable', `The database ${database.path} cannot be opened: ${reason}.`, { cause: error });
    }
  }

  /** @throws ApplicationError `service_unavailable` when there is no database, or none that can be opened. */
  async requireDatabase(): Promise<DatabaseState> {
    const state = await this.databaseState();
    if (!state.exists) throw notReady(`${this.configuration().database.path} does not exist yet`);
    return state;
  }

  private async start(): Promise<INestApplicationContext> {
    const configuration = this.configuration();
    const { pendingMigrations } = await this.requireDatabase();
    if (pendingMigrations.length > 0) throw notReady(`${configuration.database.path} is not up to date`);
    return NestFactory.createApplicationContext(AppModule.forRoot(configuration, { purpose: 'cli' }), {
      logger: false,
      abortOnError: false,
    });
  }
}

function notReady(state: string): ApplicationError {
  return new ApplicationError('service_unavailable', `The database ${state}: start the service once or run "npm run cli -- db migrate".`);
}
