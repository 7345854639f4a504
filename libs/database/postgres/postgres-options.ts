import type { DataSourceOptions } from 'typeorm';
import type { ConnectionPurpose } from '../engine.js';
import { sessionName } from '../instances.js';
import { BoundedClient, type Bounds } from './bounded-client.js';
import type { SessionSettings } from './greeting.js';
import { ServerClient } from './server-client.js';
import type { Servers } from './servers.js';

/** A command may wait as long for the lock as it does on SQLite. */
export const CLI_PATIENCE_MILLISECONDS = 10_000;
// The server gives up a little earlier than the client, so that a lock that is held is no reason to end a connection.
const SERVER_MARGIN_MILLISECONDS = 250;

// What the server does with the session of a machine that has vanished: nothing tells it, and Linux alone waits for two hours. Probes
// where nothing is under way, and the time in which what is has to arrive.
const VANISHED = { tcp_keepalives_idle: '5', tcp_keepalives_interval: '2', tcp_keepalives_count: '3', tcp_user_timeout: '10000' };

export interface ConnectionTerms {
  readonly servers: Servers;
  /** Whether a statement outside a transaction, or in one that does not say `READ WRITE`, may write. */
  readonly writesUnasked: boolean;
  readonly applicationName: string;
  readonly purpose: ConnectionPurpose;
  readonly poolSize: number;
  readonly bounds: Bounds;
}

/**
 * A pool of connections to the primary. For the service each wait has an end. Unless it `writesUnasked`, what was meant for a transaction
 * that never began is refused by the server.
 */
export function connectionOptions({ servers, writesUnasked, applicationName, purpose, poolSize, bounds }: ConnectionTerms) {
  const isService = purpose === 'service';
  return {
    type: 'postgres',
    url: servers.url,
    applicationName: isService && applicationName ? sessionName(applicationName) : applicationName,
    poolSize,
    installExtensions: false,
    extra: {
      ...(isService ? { Client: BoundedClient, bounds } : { Client: ServerClient }),
      connectionTimeoutMillis: isService ? bounds.timeout : CLI_PATIENCE_MILLISECONDS,
      servers,
      settings: {
        default_transaction_read_only: writesUnasked ? 'off' : 'on',
        ...(isService ? serviceTimeouts(bounds.timeout) : { lock_timeout: String(CLI_PATIENCE_MILLISECONDS) }),
        ...VANISHED,
      } satisfies SessionSettings,
      // Statements go out without waiting for each other's answers.
      pipeline: true,
      keepAlive: true,
    },
  } as const satisfies DataSourceOptions;
}

function serviceTimeouts(timeout: number): SessionSettings {
  const onServer = String(Math.max(1, timeout - SERVER_MARGIN_MILLISECONDS));
  return {
    statement_timeout: onServer,
    lock_timeout: onServer,
    // A process that stops in the middle of a write transaction must not hold the lock that all others need.
    idle_in_transaction_session_timeout: String(timeout),
  };
}
