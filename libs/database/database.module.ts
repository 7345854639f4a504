import { Module, type DynamicModule } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { DatabaseLocation } from './database-url.js';
import { Database } from './database.js';
import { migrateDatabase, type Migration } from './migrate.js';
import { SqliteDatabase } from './sqlite/sqlite-database.js';
import { readConnectionOptions, writeConnectionOptions, type ConnectionPurpose } from './sqlite/sqlite-options.js';

/** The name of the connection that repositories are injected from; it cannot write. */
export const READ_CONNECTION = 'read';
const WRITE_CONNECTION = 'write';

export interface DatabaseModuleOptions {
  readonly location: DatabaseLocation;
  readonly purpose: ConnectionPurpose;
  readonly migrations: readonly Migration[];
}

/** Provides `Database` to all modules, on a database that has been migrated before anything else sees it. */
@Module({})
export class DatabaseModule {
  static forRoot({ location, purpose, migrations }: DatabaseModuleOptions): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          name: WRITE_CONNECTION,
          useFactory: async () => {
            await migrateDatabase(location, migrations);
            return { ...writeConnectionOptions(location.path, purpose), retryAttempts: 0 };
          },
        }),
        TypeOrmModule.forRootAsync({
          name: READ_CONNECTION,
          // The write side comes first: only it creates the file that the read side needs.
          inject: [getDataSourceToken(WRITE_CONNECTION)],
          useFactory: () => ({ ...readConnectionOptions(location.path, purpose), retryAttempts: 0, autoLoadEntities: true }),
        }),
      ],
      providers: [
        {
          provide: Database,
          inject: [getDataSourceToken(WRITE_CONNECTION), getDataSourceToken(READ_CONNECTION)],
          useFactory: (writeSource: DataSource, readSource: DataSource) => new SqliteDatabase(location.path, writeSource, readSource),
        },
      ],
      exports: [Database],
    };
  }
}
