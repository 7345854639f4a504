import { translatePostgresError } from './postgres/postgres-errors.js';
import { translateSqliteError } from './sqlite/sqlite-errors.js';

/**
 * What a repository of TypeORM threw, as the service knows it: DatabaseUnavailableError for what is wrong with the database
 * or the way to it, anything else as it is.
 */
export function translateDatabaseError(error: unknown): unknown {
  return translatePostgresError(translateSqliteError(error));
}
