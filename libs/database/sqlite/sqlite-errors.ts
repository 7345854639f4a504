import { QueryFailedError } from 'typeorm';
import { DatabaseUnavailableError } from '../database.errors.js';

const UNAVAILABLE = /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|NOMEM)/;

/** SQLite's result code, such as `SQLITE_BUSY`, of an error that TypeORM passed on. */
export function sqliteCode(error: unknown): string | undefined {
  const driverError: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (typeof driverError !== 'object' || driverError === null || !('code' in driverError)) return undefined;
  return typeof driverError.code === 'string' ? driverError.code : undefined;
}

/** The error as the service knows it: what is wrong with the file or its lock becomes DatabaseUnavailableError. */
export function translateSqliteError(error: unknown): unknown {
  const code = sqliteCode(error);
  return code !== undefined && UNAVAILABLE.test(code) ? new DatabaseUnavailableError(error) : error;
}
