export { describeSkew, openClock } from './database-clock.js';
export { describeLocation, parseDatabaseUrl, parsePostgresUrl, type DatabaseLocation } from './database-url.js';
export { DatabaseUnavailableError, translateDatabaseError } from './database.errors.js';
export { Database, columnsFor, insertRows, pipelined, type ManagedTransaction, type SqlRunner, type WriteTransaction } from './database.js';
export type { ServiceClaim } from './engine.js';
export { countInstances } from './instances.js';
export type { Migration } from './migration.js';
export { columnTypes, foldText, optional, type StoredValue } from './entities/column-types.js';
export { entityTable, EntityTable, type EntityClass } from './entities/entity-table.js';
export { DatabaseModule } from './opening/database.module.js';
export {
  inspectDatabase,
  readDatabase,
  type DatabaseState,
  claimDatabase,
  migrateDatabase,
  assertDatabaseCurrent,
} from './opening/open-database.js';
export {
  type Dialect,
  type TableRow,
  type TextIndex,
  identifier,
  isAmong,
  isOneOf,
  join,
  plannedForValues,
  raw,
  row,
  sql,
  SqlFragment,
  whereAll,
} from './sql.js';
export { markMoved } from './sqlite/moved-database.js';
export { lockForService } from './sqlite/service-lock.js';
export { deleteOldest, listTables, readTable, type RetentionRule, type Table } from './tables.js';
