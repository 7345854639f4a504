import pg from 'pg';
import { describeLocation, migrateDatabase, parseDatabaseUrl, raw, type DatabaseLocation } from '#libs/database';
import { CreateEventLog1767225600000 } from '#libs/event-store';
import { libraryMigrations } from '#libs/testing';
import { createPostgresDatabase, type TestDatabase } from '../databases/test-database.fixture.js';
import { counted } from './counting.fixture.js';
import { openStore } from './store-under-test.js';

describe('a database whose tables belong to another role than the one that serves', () => {
  let database: TestDatabase;
  let location: DatabaseLocation;
  let role: string;

  beforeEach(async () => {
    database = await createPostgresDatabase();
    const name = describeLocation(parseDatabaseUrl(database.url)).split(' ')[0] ?? '';
    role = `${name}_serving`;
    await asOwner(`CREATE ROLE "${role}" LOGIN`);
    const url = new URL(database.url);
    url.username = role;
    location = { kind: 'postgres', url: url.href, migrationUrl: database.url };
  });
  afterEach(async () => {
    await asOwner(`DROP OWNED BY "${role}" CASCADE; DROP ROLE "${role}"`);
    await database.remove();
  });

  const asOwner = async (statements: string): Promise<void> => {
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query(statements).finally(() => client.end());
  };

  it('is served by a role that may append but not change or remove an event', async () => {
    const opened = await openStore(location);
    try {
      await opened.store.append([{ stream: { newIn: 'counter' }, expectedVersion: 'noStream', events: [counted(1)] }], {
        metadata: { actor: 'system' },
      });
      for (const statement of ['UPDATE "events" SET "data" = \'{}\'', 'DELETE FROM "events"', 'TRUNCATE "events"']) {
        await expect(opened.database.write((transaction) => transaction.query(raw(statement)))).rejects.toThrow('permission denied');
      }
    } finally {
      await opened.close();
    }
  });

  it('is migrated further when the serving role has made tables of its own', async () => {
    await (await openStore(location)).close();
    class AddTable1999999999999 extends CreateEventLog1767225600000 {
      override readonly name = 'AddTable1999999999999' as 'CreateEventLog1767225600000';
      override async up(): Promise<void> {
        return Promise.resolve();
      }
    }
    expect(await migrateDatabase(location, [...libraryMigrations, AddTable1999999999999])).toEqual(['AddTable1999999999999']);
  });
});
