import { jest } from '@jest/globals';
import SqliteConnection from 'better-sqlite3';
import { parseDatabaseUrl, raw } from '#libs/database';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { sqliteDatabases } from './contract-databases.fixture.js';
import { describeEventStoreContract } from './event-store.contract.js';
import { openStore } from './store-under-test.js';

describe('event stores on SQLite', () => {
  describeEventStoreContract('SQLite', sqliteDatabases);

  it('syncs each commit but those that may be lost with the machine', async () => {
    const opened = await openStore(parseDatabaseUrl((await createSqliteDatabase()).url));
    const level = (durable?: boolean) =>
      opened.database.transaction(
        async (transaction) => String(Object.values((await transaction.query(raw('PRAGMA synchronous')))[0] ?? {})[0]),
        durable === undefined ? undefined : { durable },
      );
    const [full, normal] = ['2', '1'];
    expect(await Promise.all([level(), level(false), level(true)])).toEqual([full, normal, full]);
    const failing = opened.database.transaction(() => Promise.reject(new Error('rolled back')), { durable: false });
    await expect(failing).rejects.toMatchObject({ message: 'rolled back' });
    expect(await level()).toBe(full);
  });

  it('gives up all writes that wait at once while another process keeps the lock, and continues when it is free', async () => {
    const { url } = await createSqliteDatabase();
    const { database } = await openStore(parseDatabaseUrl(url));
    const other = new SqliteConnection(url.slice('sqlite:'.length));
    closeAtEnd(() => other.close());
    other.exec('CREATE TABLE "rows" ("id" INTEGER PRIMARY KEY); BEGIN IMMEDIATE');
    const write = () => database.transaction((transaction) => transaction.query(raw('INSERT INTO "rows" DEFAULT VALUES')));
    // Five seconds pass in a quarter of one.
    const now = performance.now.bind(performance);
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => 20 * now());
    const outcomes = await Promise.allSettled([write(), write(), write()]).finally(() => clock.mockRestore());
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { code: 'service_unavailable' } });
    other.exec('COMMIT');
    await write();
    expect(await database.reader.query(raw('SELECT * FROM "rows"'))).toHaveLength(1);
  });
});
