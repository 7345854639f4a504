// A read does not wait until what it has found is on disk.
import { PostgresDatabase } from '../../../dist/libs/database/postgres/postgres-database.js';
import { replaceMethod } from '../system/replace-method.mjs';

replaceMethod(PostgresDatabase, 'flushIfPending', () => () => Promise.resolve());
