import { parseDatabaseUrl, raw } from '#libs/database';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { describeEventStoreContract } from './event-store.contract.js';
import { openStore } from './store-under-test.js';

describe('event stores on SQLite', () => {
  describeEventStoreContract('SQLite', {
    async create() {
      const { url, remove } = await createSqliteDatabase();
      return { location: parseDatabaseUrl(url), remove };
    },
  });

  it('syncs each commit but those that may be lost with the machine', async () => {
    const opened = await openStore(parseDatabaseUrl((await createSqliteDatabase()).url));
    const level = (durable?: boolean) =>
      opened.database.write(
        async (transaction) => String(Object.values((await transaction.query(raw('PRAGMA synchronous')))[0] ?? {})[0]),
        durable === undefined ? undefined : { durable },
      );
    const [full, normal] = ['2', '1'];
    expect(await Promise.all([level(), level(false), level(true)])).toEqual([full, normal, full]);
    const failing = opened.database.write(() => Promise.reject(new Error('rolled back')), { durable: false });
    await expect(failing).rejects.toMatchObject({ message: 'rolled back' });
    expect(await level()).toBe(full);
  });
});
