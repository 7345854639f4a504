import { Connection, type Answer, type PostedMessage } from './connection.js';
import type { EndpointRules } from './endpoint-rules.js';
import type { Endpoint } from './endpoint.js';

/** Each holds a socket, and some tens of kilobytes where it is one of TLS. */
const KEPT_AT_MOST = 100;

/**
 * One connection for each exchange under way, so that none waits for another. An idle one is kept for a few seconds for the next exchange
 * with the same origin; of too many, the one that has been idle for longest goes.
 */
export class KeptConnections {
  /** Those that are idle, the one idle for longest first. */
  private readonly idle = new Set<Connection>();

  constructor(private readonly rules: EndpointRules) {}

  /** Posts to an endpoint. @param signal ends it at once. @throws an error that `failureReason` puts into words. */
  async post(endpoint: Endpoint, message: PostedMessage, signal: AbortSignal): Promise<Answer> {
    signal.throwIfAborted();
    const connection = this.taken(endpoint.origin) ?? this.opened(endpoint);
    const end = () => void connection.destroy();
    signal.addEventListener('abort', end, { once: true });
    try {
      return await connection.post(endpoint.path, message);
    } finally {
      signal.removeEventListener('abort', end);
      if (!signal.aborted && connection.isReusable) this.keep(connection);
      else end();
    }
  }

  /** Ends those that are idle. */
  async close(): Promise<void> {
    const ended = [...this.idle].map((connection) => connection.destroy());
    this.idle.clear();
    await Promise.all(ended);
  }

  private taken(origin: string): Connection | undefined {
    const connection = [...this.idle].findLast((one) => one.origin === origin);
    if (connection) this.idle.delete(connection);
    return connection;
  }

  private opened(endpoint: Endpoint): Connection {
    const connection: Connection = new Connection(endpoint, this.rules, () => this.drop(connection));
    return connection;
  }

  private keep(connection: Connection): void {
    this.idle.add(connection);
    const [longestIdle] = this.idle;
    if (this.idle.size > KEPT_AT_MOST && longestIdle) this.drop(longestIdle);
  }

  /** Does nothing to one under way: what it was to send, and has not begun to, goes over a new socket. */
  private drop(connection: Connection): void {
    if (this.idle.delete(connection)) void connection.destroy();
  }
}
