import { migrateDatabase, parseDatabaseUrl, raw, readDatabase, type DatabaseLocation } from '#libs/database';
import { libraryMigrations } from '#libs/testing';
import { startOwnPostgres, type OwnPostgres } from '../databases/own-postgres.fixture.js';
import { openStore } from './store-under-test.js';

const COUNT = raw('SELECT count(*) AS "count" FROM "events"');

describe('a standby of PostgreSQL', () => {
  let primary: OwnPostgres;
  let standby: OwnPostgres;
  beforeEach(async () => {
    primary = await startOwnPostgres();
    await migrateDatabase(parseDatabaseUrl(primary.url), libraryMigrations);
    standby = await startOwnPostgres({}, undefined, { backup: await primary.takeBaseBackup(), as: 'standby' });
  });

  const read = (location: DatabaseLocation) => readDatabase(location, (runner) => runner.query(COUNT));

  it('is refused by name when it is the only server, also for reading', async () => {
    const reason = 'the server is a standby, and only the primary can be used';
    await expect(openStore(parseDatabaseUrl(standby.url))).rejects.toThrow(reason);
    await expect(read(parseDatabaseUrl(standby.url))).rejects.toThrow(reason);
  });
});

describe('a database whose encoding is not UTF8', () => {
  it('is refused with the sentence that helps', async () => {
    const server = await startOwnPostgres({}, undefined, { encoding: 'LATIN1' });
    await expect(migrateDatabase(parseDatabaseUrl(server.url), libraryMigrations)).rejects.toThrow(
      "the database has the encoding LATIN1; create it with ENCODING 'UTF8' TEMPLATE template0",
    );
  });
});
