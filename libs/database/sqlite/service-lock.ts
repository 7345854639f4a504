import SqliteConnection from 'better-sqlite3';
import { StartupError } from '#libs/observability';
import type { ClaimOptions, ServiceClaim } from '../engine.js';
import { resolveDatabaseFile } from './database-file.js';
import { sqliteCode } from './sqlite-connection.js';

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
    if (sqliteCode(error) !== 'SQLITE_BUSY') throw error;
    throw new StartupError(
      `another service uses ${database}, and only one service can use a database file: stop that one first, or use PostgreSQL for several`,
      { cause: error },
    );
  }
}
