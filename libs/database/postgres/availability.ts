import { Logger } from '@nestjs/common';
import { CircuitBreaker, systemTimers, type Timers } from '#libs/observability';
import { DatabaseUnavailableError } from '../database.errors.js';

const PROBE_PAUSE_MILLISECONDS = 250;
const PROBE_TIMEOUT_MILLISECONDS = 2_500;

/** A connection that the server has accepted. */
export interface OpenConnection {
  /** Time of its last response, in terms of `performance.now()`. */
  readonly answeredAt: number;
  /** Sends a statement unless one is pending; a connection that is not answered closes itself. */
  ask(): void;
}

/** A connection that the server has not accepted yet. */
interface PendingConnection {
  /** Rejects its callers. */
  giveUpConnecting(cause: Error): void;
}

/**
 * Circuit breaker of a server. It opens when no connection is open and none can be made; then all callers, waiting ones included, fail at
 * once until a background probe succeeds.
 */
export class Availability {
  private readonly logger = new Logger('Database');
  private readonly open = new Set<OpenConnection>();
  private readonly pending = new Set<PendingConnection>();
  private readonly breaker: CircuitBreaker;
  private readonly replacedListeners: (() => void)[] = [];
  private lost: DatabaseUnavailableError | undefined;
  private hasEnded = false;

  /** @param probe resolves if the server answers on a new connection, and rejects after a timeout */
  constructor(probe: () => Promise<unknown>, timers: Timers = systemTimers) {
    const options = {
      probe: () => probe().then(() => undefined),
      pause: PROBE_PAUSE_MILLISECONDS,
      timeoutMilliseconds: PROBE_TIMEOUT_MILLISECONDS,
      onOpen: (cause: unknown) => {
        this.lost = new DatabaseUnavailableError(cause);
        for (const connection of this.pending) connection.giveUpConnecting(this.lost);
        this.logger.error(`The database does not answer, which is asked again until it does: ${String(cause)}`);
      },
      onClose: () => {
        this.lost = undefined;
        this.logger.warn('The database answers again.');
      },
    };
    this.breaker = new CircuitBreaker(options, timers);
  }

  /** The error of new connections while the breaker is open. */
  get refusal(): DatabaseUnavailableError | undefined {
    return this.lost;
  }

  /** Reports that a connection is being made. */
  connecting(connection: PendingConnection): void {
    this.pending.add(connection);
  }

  /** Reports that the attempt to connect has ended, either way. */
  connected(connection: PendingConnection): void {
    this.pending.delete(connection);
  }

  /** Reports an open connection. */
  opened(connection: OpenConnection): void {
    this.open.add(connection);
    this.breaker.close();
    if (!this.hasEnded) return;
    this.hasEnded = false;
    for (const listener of this.replacedListeners) listener();
  }

  /** Calls `listener` when a connection is made after one has ended: it may be to another server. */
  onReplaced(listener: () => void): void {
    this.replacedListeners.push(listener);
  }

  /** Reports that a connection has ended. */
  ended(connection: OpenConnection): void {
    this.open.delete(connection);
    this.hasEnded = true;
  }

  /** Reports that a connection or a response was awaited since `since` and did not come. */
  failed(cause: unknown, since: number): void {
    if (this.breaker.isOpen) return;
    const others = [...this.open];
    if (others.length === 0) this.breaker.open(cause);
    else if (!others.some(({ answeredAt }) => answeredAt > since)) for (const other of others) other.ask();
  }

  /** Stops probing. */
  close(): void {
    this.breaker.end();
  }
}
