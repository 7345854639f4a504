import { Logger, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { DatabaseLocation } from '../database-url.js';
import { Database } from '../database.js';
import type { ConnectionPurpose, ServiceClaim, Migration } from '../engine.js';
import { createEngine, migrateDatabase } from './open-database.js';

/** Name of the connection that cannot write. */
export const READ_CONNECTION = 'read';
/** Name of the connection that can. */
export const WRITE_CONNECTION = 'write';

interface DatabaseModuleOptions {
  readonly location: DatabaseLocation;
  readonly purpose: ConnectionPurpose;
  readonly migrations: readonly Migration[];
  /** The claim of a service, released after the application has shut down. */
  readonly claim?: ServiceClaim | undefined;
}

/** Provides `Database`, migrated, to all modules. */
@Module({})
export class DatabaseModule {
  static forRoot({ location, purpose, migrations, claim }: DatabaseModuleOptions): DynamicModule {
    const engine = createEngine(location);
    return {
      module: DatabaseModule,
      global: true,
      imports: [
        TypeOrmModule.forRootAsync({
          name: WRITE_CONNECTION,
          useFactory: async () => {
            // A claimed database is up to date.
            if (!claim) await migrateDatabase(location, migrations);
            return { ...engine.writeConnection(purpose), retryAttempts: 0 };
          },
        }),
        TypeOrmModule.forRootAsync({
          name: READ_CONNECTION,
          // The write side comes first: only it creates the file that the read side needs.
          inject: [getDataSourceToken(WRITE_CONNECTION)],
          useFactory: () => ({ ...engine.readConnection(purpose), retryAttempts: 0 }),
        }),
      ],
      providers: [
        {
          provide: Database,
          inject: [getDataSourceToken(WRITE_CONNECTION), getDataSourceToken(READ_CONNECTION)],
          useFactory: async (write: DataSource, read: DataSource) => {
            const unsafe = purpose === 'service' ? await engine.findUnsafeSettings?.(write) : [];
            for (const setting of unsafe ?? []) new Logger(DatabaseModule.name).warn(setting);
            return engine.open({ write, read }, purpose);
          },
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
