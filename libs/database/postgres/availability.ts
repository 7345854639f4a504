import { Logger } from '@nestjs/common';
import { settledWithin } from '#libs/clock';
import { DatabaseUnavailableError } from '../database.errors.js';

const PROBE_INTERVAL_MILLISECONDS = 250;
// A probe that never ends must not be the last.
const PROBE_DEADLINE_MILLISECONDS = 2_500;

/** A connection that the server has accepted. */
export interface OpenConnection {
  /** When it last answered, on the time line of `performance.now()`. */
  readonly answeredAt: number;
  /** Finds out whether the server still answers on it, unless a statement under way will tell; one that does not answer ends itself. */
  ask(): void;
}

/**
 * Whether the server answers. One connection that fails, or cannot be made, fails those who needed it; the database is lost when no
 * open connection is left and none can be made. From then on callers are refused at once instead of each waiting for itself, until a
 * probe in the background finds the server back.
 */
export class Availability {
  private readonly logger = new Logger('Database');
  private readonly open = new Set<OpenConnection>();
  private lost: DatabaseUnavailableError | undefined;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;

  /** `probe` resolves when the server answers on a new connection, and rejects when it has not done so for a while. */
  constructor(private readonly probe: () => Promise<void>) {}

  /** Why no connection is made now; undefined while the server answers. */
  get refusal(): DatabaseUnavailableError | undefined {
    return this.lost;
  }

  /** A connection was made. */
  opened(connection: OpenConnection): void {
    this.open.add(connection);
    this.returned();
  }

  /** A connection has ended, for whatever reason. */
  ended(connection: OpenConnection): void {
    this.open.delete(connection);
  }

  /** From `since` on a connection was waited for, or the answer of one that has ended by now, and did not come. */
  failed(cause: unknown, since: number): void {
    if (this.lost) return;
    const others = [...this.open];
    if (others.length === 0) this.lose(cause);
    else if (!others.some(({ answeredAt }) => answeredAt > since)) for (const other of others) other.ask();
  }

  /** Ends the probing for good. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  private lose(cause: unknown): void {
    this.lost = new DatabaseUnavailableError(cause);
    this.logger.error(`The database does not answer, which is asked again until it does: ${String(cause)}`);
    this.scheduleProbe();
  }

  private scheduleProbe(): void {
    if (this.isClosed) return;
    this.timer = setTimeout(() => void this.probeAgain(), PROBE_INTERVAL_MILLISECONDS).unref();
  }

  private async probeAgain(): Promise<void> {
    const answered = this.probe().then(
      () => true,
      () => false,
    );
    if ((await settledWithin(answered, PROBE_DEADLINE_MILLISECONDS)) && (await answered)) this.returned();
    else if (this.lost) this.scheduleProbe();
  }

  private returned(): void {
    if (!this.lost) return;
    this.lost = undefined;
    clearTimeout(this.timer);
    this.logger.warn('The database answers again.');
  }
}
