import { Logger, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { DatabaseLocation } from '../database-url.js';
import { Database } from '../database.js';
import type { ConnectionPurpose, DatabaseEngine, ServiceClaim } from '../engine.js';
import type { Migration } from '../migration.js';
import { engineOf } from './engines.js';
import { traceRepositories } from '../traced-statements.js';
import { migrateDatabase } from './migrate-database.js';

/** The name of the connection that repositories are injected from; it cannot write. */
export const READ_CONNECTION = 'read';
const WRITE_CONNECTION = 'write';

export interface DatabaseModuleOptions {
  readonly location: DatabaseLocation;
  readonly purpose: ConnectionPurpose;
  readonly migrations: readonly Migration[];
  /** What a service has claimed; given free when the application has shut down. */
  readonly claim?: ServiceClaim | undefined;
}

/** Provides `Database` to all modules, on a database that has been migrated before anything else sees it. */
@Module({})
export class DatabaseModule {
  static forRoot({ location, purpose, migrations, claim }: DatabaseModuleOptions): DynamicModule {
    const engine = engineOf(location);
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          name: WRITE_CONNECTION,
          useFactory: async () => {
            // What was claimed is up to date.
            if (!claim) await migrateDatabase(location, migrations);
            return { ...engine.writeConnection(purpose), retryAttempts: 0 };
          },
        }),
        TypeOrmModule.forRootAsync({
          name: READ_CONNECTION,
          // The write side comes first: only it creates the file that the read side needs.
          inject: [getDataSourceToken(WRITE_CONNECTION)],
          useFactory: () => ({ ...engine.readConnection(purpose), retryAttempts: 0, autoLoadEntities: true }),
        }),
      ],
      providers: [
        {
          provide: Database,
          inject: [getDataSourceToken(WRITE_CONNECTION), getDataSourceToken(READ_CONNECTION)],
          useFactory: async (write: DataSource, read: DataSource) => {
            if (purpose === 'service') await warnOfUnsafeSettings(engine, write);
            const database = await engine.open({ write, read }, purpose);
            traceRepositories(read, database.dialect.name);
            return database;
          },
        },
        { provide: ClaimRelease, useValue: new ClaimRelease(() => claim?.release()) },
      ],
      exports: [Database],
    };
  }
}

/** Gives the database free for another service when this one has nothing left to write. */
class ClaimRelease implements OnApplicationShutdown {
  constructor(readonly onApplicationShutdown: () => void) {}
}

async function warnOfUnsafeSettings(engine: DatabaseEngine, writeSource: DataSource): Promise<void> {
  const logger = new Logger(DatabaseModule.name);
  for (const finding of await engine.findUnsafeSettings(writeSource)) logger.warn(finding);
}
