import { parseDatabaseUrl } from '#libs/database';
import { createPostgresDatabase } from '../databases/test-database.fixture.js';
import { describeTimeoutsContract } from './timeouts.contract.js';

describeTimeoutsContract('PostgreSQL', {
  async create() {
    const { url, remove } = await createPostgresDatabase();
    return { location: parseDatabaseUrl(url), remove };
  },
});
