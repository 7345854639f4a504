import { parseDatabaseUrl } from '#libs/database';
import { createPostgresDatabase } from '../databases/test-database.fixture.js';
import { describeFollowersContract } from './followers.contract.js';

describeFollowersContract('PostgreSQL', {
  async create() {
    const { url, remove } = await createPostgresDatabase();
    return { location: parseDatabaseUrl(url), url, remove };
  },
});
