import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { printableLine, type Cells, type View } from '#libs/cli-kit';
import { describeLocation, inspectDatabase, assertDatabaseNotNewer, type DatabaseState, type Migration } from '#libs/database';
import { ApplicationError } from '#libs/errors';
import { place } from '#libs/place';
import { AppModule } from '../app.module.js';
import { composition } from '../composition.js';
import { loadConfiguration, nearVariables, type Configuration, type NearVariable } from '../config/index.js';
import { openingFailure, type OperationsCliContext } from '../operations/index.js';
import type { ResultPrinter } from './result-printer.js';
import type { CliIo } from './cli-io.js';
import { askWhether } from './terminal-question.js';

/** The context of one run of the command line. */
export class ApplicationCliContext implements OperationsCliContext {
  private loadedConfiguration: Configuration | undefined;
  private ownApplication: Promise<INestApplicationContext> | undefined;
  private readonly started: Promise<INestApplicationContext>[] = [];
  private failed = false;

  constructor(
    private readonly results: ResultPrinter,
    private readonly io: CliIo,
  ) {}

  get migrations(): readonly Migration[] {
    return composition().migrations;
  }

  get scopes(): OperationsCliContext['scopes'] {
    return composition().scopes;
  }

  /** @throws ConfigurationError that names every mistake. */
  configuration(): Configuration {
    return (this.loadedConfiguration ??= loadConfiguration(this.io.loadEnvironment()));
  }

  /** The same with another database; `MIGRATION_DATABASE_URL` belongs to that one then. */
  configurationOn(databaseUrl: string): Configuration {
    const { DATABASE_URL_FILE, ...environment } = this.io.loadEnvironment();
    return loadConfiguration({ ...environment, DATABASE_URL: databaseUrl });
  }

  nearVariables(): readonly NearVariable[] {
    return nearVariables(this.io.loadEnvironment());
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

  print<Value>(value: Value, view?: View<Value>): void {
    this.results.print(value, view);
  }

  printText<Value>(value: Value, view: View<Value>): void {
    this.results.printText(value, view);
  }

  printRows<Row>(cellsOf: (row: Row) => Cells): (page: readonly Row[]) => void {
    return this.results.printRows(cellsOf);
  }

  printJson(value: unknown): void {
    this.results.printJson(value);
  }

  note(text: string): void {
    this.io.stderr.write(`${printableLine(text)}\n`);
  }

  async confirm(question: () => Promise<string | undefined>): Promise<boolean> {
    const { stdin, stdout } = this.io;
    if (stdin.isTTY !== true || stdout.isTTY !== true) return true;
    const asked = await question();
    return asked === undefined || askWhether(asked, this.io);
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
    assertDatabaseNotNewer(configuration.database, state);
    if (state.pendingMigrations.length > 0) throw notReady(`${describeLocation(configuration.database)} is not up to date`);
    return this.applicationOn(configuration);
  }
}

function notReady(state: string): ApplicationError {
  return new ApplicationError(
    'service_unavailable',
    `The database ${state}: start the service once or run "${place.command('db migrate')}".`,
  );
}
