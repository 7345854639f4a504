import type { Database as SqliteConnection } from 'better-sqlite3';
import type { DataSourceOptions } from 'typeorm';
import { cliCommand, StartupError } from '#libs/observability';
import { readFailure } from '../database.errors.js';
import type { ConnectionPurpose } from '../engine.js';

// The wait for a lock is synchronous: fine for a command, never inside the service's event loop.
const BUSY_TIMEOUT_MILLISECONDS: Record<ConnectionPurpose, number> = { service: 0, cli: 10_000 };
// Nothing is served yet while a connection is set up, so it may wait for another process.
const SET_UP_TIMEOUT_MILLISECONDS = 10_000;

/** What is left of the write-ahead log once no reader holds it: twice the 1,000 pages at which SQLite writes it back. */
export const WRITE_AHEAD_LOG_BYTES = 8 * 2 ** 20;

const RESTORE = `Restore a backup; "${cliCommand('doctor --full')}" says more.`;

/** Explanations for operators of a database file on which no service can start. The first code that matches counts. */
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

/**
 * Options of a connection. Every commit of one that writes is synced to disk before it is acknowledged; one that only reads needs an
 * existing file.
 */
export function connectionOptions(path: string, purpose: ConnectionPurpose, access: 'write' | 'read') {
  return {
    type: 'better-sqlite3',
    database: path,
    readonly: access === 'read',
    timeout: BUSY_TIMEOUT_MILLISECONDS[purpose],
    prepareDatabase: (connection: SqliteConnection) => {
      connection.defaultSafeIntegers(true);
      if (access === 'read') return;
      connection.pragma(`busy_timeout = ${SET_UP_TIMEOUT_MILLISECONDS}`);
      connection.pragma('journal_mode = WAL');
      connection.pragma('synchronous = FULL');
      connection.pragma(`journal_size_limit = ${WRITE_AHEAD_LOG_BYTES}`);
      connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MILLISECONDS[purpose]}`);
    },
  } as const satisfies DataSourceOptions;
}

/** Explains to an operator the error of a database file, and what to do; returns other errors as they are. */
export function explainStartFailure(path: string, error: unknown): unknown {
  const { code = '', message } = readFailure(error);
  const explanation = EXPLANATIONS.find(([pattern]) => pattern.test(code))?.[1];
  return explanation ? new StartupError(`${explanation(path)} (${message})`, { cause: error }) : error;
}
