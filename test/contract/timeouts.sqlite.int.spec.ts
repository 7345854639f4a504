import { parseDatabaseUrl } from '#libs/database';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { describeTimeoutsContract } from './timeouts.contract.js';

describeTimeoutsContract('SQLite', {
  async create() {
    const { url, remove } = await createSqliteDatabase();
    return { location: parseDatabaseUrl(url), remove };
  },
});
