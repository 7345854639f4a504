import { QueryFailedError } from 'typeorm';
import { place } from '#libs/place';
import { DatabaseUnavailableError } from '../database.errors.js';

const UNAVAILABLE = /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|NOMEM)/;

const RESTORE = `Restore a backup; "${place.command('doctor --full')}" says more.`;

/** What an operator is told about a database file that no service can be started on. The first code that fits counts. */
const EXPLANATIONS: readonly (readonly [code: RegExp, sentence: (path: string) => string])[] = [
  [/^SQLITE_NOTADB/, (path) => `${path} is not a database of SQLite, or its header is damaged. ${RESTORE}`],
  [/^SQLITE_CORRUPT/, (path) => `${path} is damaged. ${RESTORE}`],
  [/^SQLITE_READONLY/, (path) => `${path} cannot be written. Give this user the right to write it and its folder.`],
  [
    /^SQLITE_CANTOPEN|^EACCES|^EROFS|^EPERM|^EISDIR/,
    (path) => `${path} cannot be opened. Give this user the right to read and write it and its folder.`,
  ],
  [/^SQLITE_FULL|^ENOSPC/, (path) => `there is no room left for ${path}. Make room on its disk.`],
];

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

/** The error as an operator needs it: what is wrong with which file, and what to do. Others are given back as they are. */
export function explainStartFailure(path: string, error: unknown): unknown {
  const code = sqliteCode(error);
  const explanation = code === undefined ? undefined : EXPLANATIONS.find(([pattern]) => pattern.test(code))?.[1];
  if (explanation === undefined) return error;
  return new Error(`${explanation(path)} (${error instanceof Error ? error.message : String(error)})`, { cause: error });
}
