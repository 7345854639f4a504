import { postgresDatabases } from './contract-databases.fixture.js';
import { describeCounterTableContract } from './counter-table.contract.js';
import { describeFollowersContract } from './followers.contract.js';
import { describeTimeoutsContract } from './timeouts.contract.js';

describe('processes and counters on PostgreSQL', () => {
  describeFollowersContract(postgresDatabases);
  describeTimeoutsContract(postgresDatabases);
  describeCounterTableContract(postgresDatabases);
});
