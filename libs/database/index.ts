export { Database, type SqlRunner, type WriteTransaction } from './database.js';
export { DatabaseUnavailableError } from './database.errors.js';
export { DatabaseModule, READ_CONNECTION, type DatabaseModuleOptions } from './database.module.js';
export { parseDatabaseUrl, type DatabaseLocation } from './database-url.js';
export type { Dialect } from './dialect.js';
export { dialectOf } from './dialect-of.js';
export { insertRows, type RowInsert } from './insert-rows.js';
export { inspectDatabase, migrateDatabase, type DatabaseState, type Migration } from './migrate.js';
export { identifier, join, raw, render, row, sql, SqlFragment, type SqlStatement } from './sql.js';
