import { sqliteDatabases } from './contract-databases.fixture.js';
import { describeFollowersContract } from './followers.contract.js';

describeFollowersContract('SQLite', sqliteDatabases);
