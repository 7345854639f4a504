import type { Database as SqliteConnection } from 'better-sqlite3';
import type { DataSourceOptions } from 'typeorm';
import type { ConnectionPurpose } from '../engine.js';

// The wait for a lock is synchronous: fine for a command, never inside the service's event loop.
const BUSY_TIMEOUT_MILLISECONDS: Record<ConnectionPurpose, number> = { service: 0, cli: 10_000 };
// Nothing is served yet while a connection is set up, so it may wait for another process.
const SET_UP_TIMEOUT_MILLISECONDS = 10_000;

/** What the next writes leave of the write-ahead log once no reader holds it: twice the 1,000 pages at which SQLite writes it back. */
const WRITE_AHEAD_LOG_BYTES = 8 * 2 ** 20;

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
