import { sqliteDatabases } from './contract-databases.fixture.js';
import { describeFollowersContract } from './followers.contract.js';
import { describeTimeoutsContract } from './timeouts.contract.js';

describe('processes on SQLite', () => {
  describeFollowersContract(sqliteDatabases);
  describeTimeoutsContract(sqliteDatabases);
});
