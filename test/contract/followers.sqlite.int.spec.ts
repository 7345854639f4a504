import { parseDatabaseUrl } from '#libs/database';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { describeFollowersContract } from './followers.contract.js';

describeFollowersContract('SQLite', {
  async create() {
    const { url, remove } = await createSqliteDatabase();
    return { location: parseDatabaseUrl(url), url, remove };
  },
});
