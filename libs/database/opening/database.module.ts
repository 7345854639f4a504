import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { type DataSource, getMetadataArgsStorage } from 'typeorm';
import type { DatabaseLocation } from '../database-url.js';
import { Database } from '../database.js';
import type { ConnectionPurpose, ServiceClaim } from '../engine.js';
import { TableNames } from '../entities/entity-table.js';
import type { Migration } from '../migration.js';
import { createEngine, migrateDatabase } from './open-database.js';

/** Name of the connection that writes, for `Database` alone. */
const WRITE_CONNECTION = 'write';

interface DatabaseModuleOptions {
  readonly location: DatabaseLocation;
  readonly purpose: ConnectionPurpose;
  readonly migrations: readonly Migration[];
  /** The names in the database of tables that are rebuilt, by those of their entities. */
  readonly tableNames?: ReadonlyMap<string, string>;
  /** The claim of a service, released after the application has shut down. */
  readonly claim?: ServiceClaim | undefined;
}

/**
 * Provides `Database`, migrated, to all modules, and the default connection of TypeORM, which only reads: `TypeOrmModule.forFeature`,
 * `@InjectRepository` and `@InjectDataSource` give that. Every class with `@Entity` that is loaded belongs to it.
 */
@Module({})
export class DatabaseModule {
  static forRoot({ location, purpose, migrations, tableNames, claim }: DatabaseModuleOptions): DynamicModule {
    const engine = createEngine(location);
    const mapping = () => ({
      entities: getMetadataArgsStorage().tables.map(({ target }) => target),
      namingStrategy: new TableNames(tableNames),
      retryAttempts: 0,
    });
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          name: WRITE_CONNECTION,
          useFactory: async () => {
            // A claimed database is up to date.
            if (!claim) await migrateDatabase(location, migrations);
            return { ...engine.writeConnection(purpose), ...mapping() };
          },
        }),
        TypeOrmModule.forRootAsync({
          // The write side comes first: only it creates the file that the read side needs.
          inject: [getDataSourceToken(WRITE_CONNECTION)],
          useFactory: () => ({ ...engine.readConnection(purpose), ...mapping() }),
        }),
      ],
      providers: [
        {
          provide: Database,
          inject: [getDataSourceToken(WRITE_CONNECTION), getDataSourceToken()],
          useFactory: (write: DataSource, read: DataSource) => engine.open({ write, read }, purpose),
        },
        { provide: ClaimRelease, useValue: new ClaimRelease(() => claim?.release()) },
      ],
      exports: [Database],
    };
  }
}

/** Releases the database for another service after the last write of this one. */
class ClaimRelease implements OnApplicationShutdown {
  constructor(readonly onApplicationShutdown: () => void) {}
}
