import 'reflect-metadata';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { assertDatabaseNotNewer, describeLocation, inspectDatabase, type DatabaseState } from '#libs/database';
import { ApplicationError, cliCommand } from '#libs/observability';
import { AppModule } from '../../app.module.js';
import { composition } from '../composition.js';
import { loadConfiguration, type Configuration } from '../../config/index.js';
import { toOpeningError, type ServiceAccess } from '../../operations/index.js';

export { CommandBus, QueryBus } from '@nestjs/cqrs';
export { stringifyJson } from '#libs/http';
export { composition } from '../composition.js';
export { toErrorLine } from '../../operations/index.js';

/** The configuration, database and applications of one command. */
export class CommandApplications implements ServiceAccess {
  readonly migrations = composition().migrations;
  private loadedConfiguration: Configuration | undefined;
  private own: Promise<INestApplicationContext> | undefined;
  private readonly opened: Promise<INestApplicationContext>[] = [];

  constructor(readonly environment: Readonly<Record<string, string | undefined>>) {}

  configuration(): Configuration {
    return (this.loadedConfiguration ??= loadConfiguration(this.environment));
  }

  configurationOn(databaseUrl: string): Configuration {
    const { DATABASE_URL_FILE, ...environment } = this.environment;
    return loadConfiguration({ ...environment, DATABASE_URL: databaseUrl });
  }

  /** @throws ApplicationError `service_unavailable` when the database is missing, not migrated or that of a newer build; never creates it. */
  openOwn(): Promise<INestApplicationContext> {
    return (this.own ??= this.open());
  }

  openOn(configuration: Configuration): Promise<INestApplicationContext> {
    const module = AppModule.forRoot(configuration, { purpose: 'cli' });
    const application = NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
    this.opened.push(application);
    return application;
  }

  async databaseState(): Promise<DatabaseState> {
    const { database } = this.configuration();
    try {
      return await inspectDatabase(database, this.migrations);
    } catch (error) {
      throw toOpeningError(database, error);
    }
  }

  async requireDatabase(): Promise<DatabaseState> {
    const state = await this.databaseState();
    if (!state.exists) throw this.notReady('does not exist yet');
    return state;
  }

  async close(): Promise<void> {
    for (const opened of this.opened) {
      const application = await opened.catch(() => undefined);
      await application?.close();
    }
  }

  private async open(): Promise<INestApplicationContext> {
    const configuration = this.configuration();
    const state = await this.requireDatabase();
    assertDatabaseNotNewer(configuration.database, state);
    if (state.pendingMigrations.length > 0) throw this.notReady('is not up to date');
    return this.openOn(configuration);
  }

  private notReady(state: string): ApplicationError {
    const database = `The database ${describeLocation(this.configuration().database)} ${state}`;
    return new ApplicationError('service_unavailable', `${database}: start the service once or run "${cliCommand('db migrate')}".`);
  }
}
