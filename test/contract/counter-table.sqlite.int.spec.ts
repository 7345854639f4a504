import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { describeCounterTableContract } from './counter-table.contract.js';

describeCounterTableContract('SQLite', createSqliteDatabase);
