import { parseDatabaseUrl, type DatabaseLocation } from '#libs/database';
import { createPostgresDatabase, createSqliteDatabase } from '../databases/test-database.fixture.js';

/** A new database of one kind for a test, with the URL by which a test changes it behind the back of the instances. */
export interface ContractDatabases {
  create(): Promise<{ readonly location: DatabaseLocation; readonly url: string }>;
}

export const postgresDatabases = databasesMadeBy(createPostgresDatabase);
export const sqliteDatabases = databasesMadeBy(createSqliteDatabase);

function databasesMadeBy(make: typeof createPostgresDatabase): ContractDatabases {
  return {
    async create() {
      const { url } = await make();
      return { location: parseDatabaseUrl(url), url };
    },
  };
}
