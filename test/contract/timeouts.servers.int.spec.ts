import { postgresDatabases } from './contract-databases.fixture.js';
import { describeTimeoutsContract } from './timeouts.contract.js';

describeTimeoutsContract('PostgreSQL', postgresDatabases);
