import { migrateDatabase, parseDatabaseUrl, raw, readDatabase, type DatabaseLocation } from '#libs/database';
import { libraryMigrations, until } from '#libs/testing';
import { findFreePort } from '../databases/free-port.fixture.js';
import { startOwnPostgres, type OwnPostgres } from '../databases/own-postgres.fixture.js';
import { withPort } from '../databases/poolers.fixture.js';
import { openStore } from './store-under-test.js';

const COUNT = raw('SELECT count(*) AS "count" FROM "events"');

/** The URL that lists the servers of some. */
function toListParameter(...urls: readonly string[]): string {
  const [first = '', ...others] = urls;
  const { host } = new URL(first);
  return first.replace(host, [host, ...others.map((url) => new URL(url).host)].join(','));
}

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

  it('is passed over where a primary is listed beside it, and used once it is promoted', async () => {
    const dark = withPort(primary.url, await findFreePort());
    const location = parseDatabaseUrl(`${toListParameter(dark, standby.url, primary.url)}?target_session_attrs=read-write`);
    const { database } = await openStore(location);
    let replaced = 0;
    database.onConnectionReplaced(() => (replaced += 1));
    await database.write((transaction) => transaction.query(raw('CREATE TABLE "of_primary" ()')));

    await primary.kill();
    const unavailable = { code: 'service_unavailable' };
    // The first find the sessions of the primary ended, the others only the standby.
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await expect(database.reader.query(COUNT)).rejects.toMatchObject(unavailable);
      await expect(database.write((transaction) => transaction.query(COUNT))).rejects.toMatchObject(unavailable);
      await expect(database.snapshot((runner) => runner.query(COUNT))).rejects.toMatchObject(unavailable);
    }
    await expect(read(location)).rejects.toThrow(
      /none of the servers is a primary that answers: .*ECONNREFUSED.*is a standby.*ECONNREFUSED/,
    );
    expect(replaced).toBe(0);

    await standby.promote();
    const write = () => database.write((transaction) => transaction.query(raw('CREATE TABLE "of_promoted" ()')));
    await until(() =>
      write()
        .then(() => true)
        .catch(() => false),
    );
    expect(await database.reader.query(COUNT)).toEqual([{ count: '0' }]);
    expect(await read(location)).toEqual([{ count: '0' }]);
    expect(replaced).toBeGreaterThan(0);
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
