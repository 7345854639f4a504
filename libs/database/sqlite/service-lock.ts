import { closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { cliCommand, StartupError } from '#libs/observability';
import type { ClaimOptions, ServiceClaim } from '../engine.js';
import { readFailure } from '../database.errors.js';

/**
 * Reserves a database file for one service, since two would not see each other's counters and caches. It is a lock of the operating
 * system on a file beside the database, and ends with the process. Commands take none.
 * @throws StartupError that names the database if another service has it, or as `resolveDatabaseFile`
 */
export function lockForService(databasePath: string, options: ClaimOptions): ServiceClaim {
  const database = resolveDatabaseFile(databasePath, options);
  const connection = new SqliteConnection(`${database}.lock`, { timeout: 0 });
  try {
    connection.exec('BEGIN IMMEDIATE');
    return { release: () => void connection.close() };
  } catch (error) {
    connection.close();
    if (readFailure(error).code !== 'SQLITE_BUSY') throw error;
    throw new StartupError(
      `another service uses ${database}, and only one service can use a database file: stop that one first, or use PostgreSQL for several`,
      { cause: error },
    );
  }
}

/**
 * Returns the one name of a database file that a service may serve. With `creates` it makes an empty file if there is none.
 * @throws StartupError that says what is in the way: a missing file, or a name that leads others to other side files than this one. SQLite keeps
 *   acknowledged writes in side files that it finds by the name (https://www.sqlite.org/howtocorrupt.html, 2.5)
 */
function resolveDatabaseFile(path: string, { creates }: ClaimOptions): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0 && !creates) {
    throw new StartupError(
      `there is no database at ${path}. Mount the disk that has it; for a new database run "${cliCommand('db migrate')}" once (only in ` +
        'development does a start make one)',
    );
  }
  mkdirSync(dirname(path), { recursive: true });
  // A file that exists is not opened: closing it would end the locks that this process has on it.
  if (!existsSync(path)) closeSync(openSync(path, 'a'));
  const file = realpathSync(path);
  assertOneName(file);
  return file;
}

/** @throws StartupError if the file has a second name, or is mounted without its folder. */
function assertOneName(file: string): void {
  const { dev, nlink } = statSync(file);
  if (dev !== statSync(dirname(file)).dev) {
    throw new StartupError(
      `${file} is mounted without its folder, in which SQLite keeps acknowledged writes too: mount the folder instead`,
    );
  }
  if (nlink > 1) {
    throw new StartupError(`${file} has ${nlink} names (hard links), under each of which other writes would be kept: leave only this one`);
  }
}
