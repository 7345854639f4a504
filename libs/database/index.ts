export {
  type DatabaseFault,
  Database,
  type Committed,
  type SqlRunner,
  type WriteOptions,
  type WriteTransaction,
  pipelined,
} from './database.js';
export { describeSkew, openClock } from './database-clock.js';
export { DatabaseUnavailableError, NewerDatabaseError } from './database.errors.js';
export { describeLocation, parseDatabaseUrl, parsePostgresUrl, type DatabaseLocation, type PostgresSettings } from './database-url.js';
export {
  type Dialect,
  type RowInsert,
  type StorageSize,
  type TableRow,
  type TableSize,
  identifier,
  isOneOf,
  join,
  raw,
  row,
  sql,
  SqlFragment,
} from './sql.js';
export type { ServiceClaim } from './engine.js';
export { listInstances, type ServiceInstance } from './instances.js';
export { countColumn, int64Column, ForwardMigration, type Migration } from './migration.js';
export { DatabaseModule, READ_CONNECTION, type DatabaseModuleOptions } from './opening/database.module.js';
export {
  getDialect,
  translateDatabaseError,
  databaseSize,
  inspectDatabase,
  readDatabase,
  type DatabaseState,
  claimDatabase,
  migrateDatabase,
  assertDatabaseNotNewer,
} from './opening/open-database.js';
export { deleteOldest, insertRows, listTables, readTable, type OldRows, type Table } from './tables.js';
