import { parseDatabaseUrl } from '#libs/database';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { describeEventStoreContract } from './event-store.contract.js';

describeEventStoreContract('SQLite', {
  async create() {
    const { url, remove } = await createSqliteDatabase();
    return { location: parseDatabaseUrl(url), remove };
  },
});
