import type { ClientConfig, PoolConfig } from 'pg';
import type { DataSourceOptions } from 'typeorm';
import type { ConnectionPurpose } from '../engine.js';
import { sessionName } from '../instances.js';
import { BoundedClient, type Bounds } from './bounded-client.js';

/** A command may wait as long for the lock as it does on SQLite. */
export const CLI_PATIENCE_MILLISECONDS = 10_000;
// The server gives up a little earlier than the client, so that a lock that is held is no reason to end a connection.
const SERVER_MARGIN_MILLISECONDS = 250;

// What the server does with the session of a machine that has vanished: nothing tells it, and Linux alone waits for two hours. Probes
// where nothing is under way, and the time in which what is has to arrive.
const VANISHED = '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3 -c tcp_user_timeout=10000';

export interface ConnectionTerms {
  readonly url: string;
  readonly applicationName: string;
  readonly purpose: ConnectionPurpose;
  readonly poolSize: number;
  readonly bounds: Bounds;
}

/**
 * A pool of connections to a PostgreSQL server. For the service each wait has an end. A statement outside a transaction may only read,
 * and in one that does not say `READ WRITE`: what was meant for a transaction that never began is refused by the server.
 */
export function connectionOptions({ url, applicationName, purpose, poolSize, bounds }: ConnectionTerms) {
  const timeouts = purpose === 'service' ? serviceTimeouts(bounds) : cliTimeouts();
  return {
    type: 'postgres',
    url,
    applicationName: purpose === 'service' && applicationName ? sessionName(applicationName) : applicationName,
    poolSize,
    installExtensions: false,
    extra: {
      ...timeouts,
      // Statements go out without waiting for each other's answers.
      pipeline: true,
      options: `-c default_transaction_read_only=on ${VANISHED}`,
      keepAlive: true,
    } satisfies ClientConfig & Omit<PoolConfig, 'Client'>,
  } as const satisfies DataSourceOptions;
}

function serviceTimeouts(
  bounds: Bounds,
): ClientConfig & Omit<PoolConfig, 'Client'> & { readonly Client: typeof BoundedClient; readonly bounds: Bounds } {
  const { timeout } = bounds;
  const onServer = Math.max(1, timeout - SERVER_MARGIN_MILLISECONDS);
  return {
    connectionTimeoutMillis: timeout,
    statement_timeout: onServer,
    lock_timeout: onServer,
    // A process that stops in the middle of a write transaction must not hold the lock that all others need.
    idle_in_transaction_session_timeout: timeout,
    Client: BoundedClient,
    bounds,
  };
}

function cliTimeouts(): ClientConfig & PoolConfig {
  return { connectionTimeoutMillis: CLI_PATIENCE_MILLISECONDS, lock_timeout: CLI_PATIENCE_MILLISECONDS };
}
