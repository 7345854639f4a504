import { existsSync, readFileSync, statSync } from 'node:fs';
import SqliteConnection from 'better-sqlite3';
import { StartupError } from '#libs/observability';
import type { ClaimOptions, ServiceClaim } from '../engine.js';
import { resolveDatabaseFile } from './database-file.js';
import { sqliteCode } from './sqlite-connection.js';

/** The byte that SQLite locks for the connection that may write: `RESERVED_BYTE` of its os.h. */
const RESERVED_BYTE = '1073741825';
const HELD_LOCK = / WRITE (?<pid>\d+) \S+:(?<inode>\d+) (?<byte>\d+) /;

/**
 * Reserves a database file for one service, since two would not see each other's counters and caches. It is a lock of the operating
 * system on a file beside the database, and ends with the process. Commands take none.
 * @throws StartupError that names the database, and the process that has it if the operating system tells, or as `resolveDatabaseFile`
 */
export function lockForService(databasePath: string, options: ClaimOptions): ServiceClaim {
  const database = resolveDatabaseFile(databasePath, options);
  const connection = new SqliteConnection(`${database}.lock`, { timeout: 0 });
  try {
    connection.exec('BEGIN IMMEDIATE');
    return { release: () => void connection.close() };
  } catch (error) {
    connection.close();
    if (sqliteCode(error) !== 'SQLITE_BUSY') throw error;
    throw new StartupError(refusal(database), { cause: error });
  }
}

function refusal(database: string): string {
  const pid = findLockHolder(`${database}.lock`);
  const holder = pid === undefined ? 'another service' : `another service (process ${pid})`;
  return `${holder} uses ${database}, and only one service can use a database file: stop that one first, or use PostgreSQL for several`;
}

/** Returns the process that has the lock, if /proc/locks tells it (proc(5)). */
function findLockHolder(lockFile: string): number | undefined {
  if (!existsSync('/proc/locks')) return undefined;
  const inode = String(statSync(lockFile).ino);
  const locks = readFileSync('/proc/locks', 'utf8').split('\n');
  const held = locks
    .map((line) => HELD_LOCK.exec(line)?.groups)
    .find((lock) => lock?.['inode'] === inode && lock['byte'] === RESERVED_BYTE);
  const pid = Number(held?.['pid']);
  // A process of another container has no number here.
  return pid > 0 ? pid : undefined;
}
