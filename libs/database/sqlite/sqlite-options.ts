import type { Database as SqliteConnection } from 'better-sqlite3';
import type { DataSourceOptions } from 'typeorm';
import type { ConnectionPurpose } from '../engine.js';

// A lock is waited for synchronously: fine for a command, never inside the service's event loop.
const BUSY_TIMEOUT_MILLISECONDS: Record<ConnectionPurpose, number> = { service: 0, cli: 10_000 };

/** The connection that writes. Every commit is synced to disk before it is acknowledged. */
export function writeConnectionOptions(path: string, purpose: ConnectionPurpose) {
  return {
    type: 'better-sqlite3',
    database: path,
    timeout: BUSY_TIMEOUT_MILLISECONDS[purpose],
    prepareDatabase: (connection: SqliteConnection) => {
      connection.defaultSafeIntegers(true);
      connection.pragma(`busy_timeout = ${SET_UP_TIMEOUT_MILLISECONDS}`);
      connection.pragma('journal_mode = WAL');
      connection.pragma('synchronous = FULL');
      connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MILLISECONDS[purpose]}`);
    },
  } as const satisfies DataSourceOptions;
}

// Nothing is served yet while a connection is set up, so it may wait for another process.
const SET_UP_TIMEOUT_MILLISECONDS = 10_000;

/** A connection that cannot write. The file must exist. */
export function readConnectionOptions(path: string, purpose: ConnectionPurpose) {
  return {
    type: 'better-sqlite3',
    database: path,
    readonly: true,
    timeout: BUSY_TIMEOUT_MILLISECONDS[purpose],
    prepareDatabase: (connection: SqliteConnection) => {
      connection.defaultSafeIntegers(true);
    },
  } as const satisfies DataSourceOptions;
}
