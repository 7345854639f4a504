import { postgresDatabases } from './contract-databases.fixture.js';
import { describeFollowersContract } from './followers.contract.js';
import { describeTimeoutsContract } from './timeouts.contract.js';

describe('processes on PostgreSQL', () => {
  describeFollowersContract(postgresDatabases);
  describeTimeoutsContract(postgresDatabases);
});
