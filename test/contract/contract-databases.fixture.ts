import { parseDatabaseUrl, type DatabaseLocation } from '#libs/database';
import { createPostgresDatabase, createSqliteDatabase } from '../databases/test-database.fixture.js';

/** A new database of one kind, with the URL by which a test changes it behind the back of the instances. */
export interface ContractDatabases {
  create(): Promise<{ readonly location: DatabaseLocation; readonly url: string; remove(): Promise<void> }>;
}

export const postgresDatabases = databasesMadeBy(createPostgresDatabase);
export const sqliteDatabases = databasesMadeBy(createSqliteDatabase);

function databasesMadeBy(make: typeof createPostgresDatabase): ContractDatabases {
  return {
    async create() {
      const database = await make();
      return { ...database, location: parseDatabaseUrl(database.url) };
    },
  };
}
