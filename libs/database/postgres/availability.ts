import { Logger } from '@nestjs/common';
import { CircuitBreaker } from '#libs/resilience';
import { DatabaseUnavailableError } from '../database.errors.js';

const PROBE_PAUSE_MILLISECONDS = 250;
const PROBE_PATIENCE_MILLISECONDS = 2_500;

/** A connection that the server has accepted. */
export interface OpenConnection {
  /** When it last answered, on the time line of `performance.now()`. */
  readonly answeredAt: number;
  /** Finds out whether the server still answers on it, unless a statement under way will tell; one that does not answer ends itself. */
  ask(): void;
}

/** A connection that the server has not accepted yet. */
interface PendingConnection {
  /** Fails who waits for it. */
  giveUpConnecting(cause: Error): void;
}

/**
 * Whether the server answers. One connection that fails, or cannot be made, fails those who needed it; the database is lost when no
 * open connection is left and none can be made. From then on callers are refused at once instead of each waiting for itself, also those
 * who wait for a connection, until a probe in the background finds the server back.
 */
export class Availability {
  private readonly logger = new Logger('Database');
  private readonly open = new Set<OpenConnection>();
  private readonly pending = new Set<PendingConnection>();
  private readonly breaker: CircuitBreaker;
  private readonly replacedListeners: (() => void)[] = [];
  private lost: DatabaseUnavailableError | undefined;
  private hasEnded = false;

  /** `probe` resolves when the server answers on a new connection, and rejects when it has not done so for a while. */
  constructor(probe: () => Promise<void>) {
    this.breaker = new CircuitBreaker({
      probe,
      pause: PROBE_PAUSE_MILLISECONDS,
      patience: PROBE_PATIENCE_MILLISECONDS,
      onOpen: (cause) => {
        this.lost = new DatabaseUnavailableError(cause);
        for (const connection of this.pending) connection.giveUpConnecting(this.lost);
        this.logger.error(`The database does not answer, which is asked again until it does: ${String(cause)}`);
      },
      onClose: () => {
        this.lost = undefined;
        this.logger.warn('The database answers again.');
      },
    });
  }

  /** Why no connection is made now; undefined while the server answers. */
  get refusal(): DatabaseUnavailableError | undefined {
    return this.lost;
  }

  /** A connection is being made, until it is `connected` or cannot be. */
  connecting(connection: PendingConnection): void {
    this.pending.add(connection);
  }

  /** A connection is not being made any more. */
  connected(connection: PendingConnection): void {
    this.pending.delete(connection);
  }

  /** A connection was made. */
  opened(connection: OpenConnection): void {
    this.open.add(connection);
    this.breaker.close();
    if (!this.hasEnded) return;
    this.hasEnded = false;
    for (const listener of this.replacedListeners) listener();
  }

  /** Calls `listener` whenever a connection is made after one has ended: the server behind it may be another one by then. */
  onReplaced(listener: () => void): void {
    this.replacedListeners.push(listener);
  }

  /** A connection has ended, for whatever reason. */
  ended(connection: OpenConnection): void {
    this.open.delete(connection);
    this.hasEnded = true;
  }

  /** From `since` on a connection was waited for, or the answer of one that has ended by now, and did not come. */
  failed(cause: unknown, since: number): void {
    if (this.breaker.isOpen) return;
    const others = [...this.open];
    if (others.length === 0) this.breaker.open(cause);
    else if (!others.some(({ answeredAt }) => answeredAt > since)) for (const other of others) other.ask();
  }

  /** Ends the probing for good. */
  close(): void {
    this.breaker.end();
  }
}
