import { sqliteDatabases } from './contract-databases.fixture.js';
import { describeTimeoutsContract } from './timeouts.contract.js';

describeTimeoutsContract('SQLite', sqliteDatabases);
