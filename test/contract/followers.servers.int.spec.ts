import { postgresDatabases } from './contract-databases.fixture.js';
import { describeFollowersContract } from './followers.contract.js';

describeFollowersContract('PostgreSQL', postgresDatabases);
