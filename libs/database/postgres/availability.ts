import { Logger } from '@nestjs/common';
import { settledWithin } from '#libs/clock';
import { DatabaseUnavailableError } from '../database.errors.js';

const PROBE_INTERVAL_MILLISECONDS = 250;
// A probe that never ends must not be the last.
const PROBE_DEADLINE_MILLISECONDS = 2_500;

/**
 * Whether the server answers. After it has once not answered, callers are refused at once instead of each waiting for
 * itself, until a probe in the background finds it back.
 */
export class Availability {
  private readonly logger = new Logger('Database');
  private lost: DatabaseUnavailableError | undefined;
  private isClosed = false;
  private timer: NodeJS.Timeout | undefined;

  /** `probe` resolves when the server answers, and rejects when it has not done so for a while. */
  constructor(private readonly probe: () => Promise<void>) {}

  /** Why callers are refused now; undefined while the server answers. */
  get refusal(): DatabaseUnavailableError | undefined {
    return this.lost;
  }

  /** The server did not answer. */
  report(cause: unknown): void {
    if (this.lost) return;
    this.lost = new DatabaseUnavailableError(cause);
    this.logger.error(`The database does not answer, which is asked again until it does: ${String(cause)}`);
    this.scheduleProbe();
  }

  /** Ends the probing for good. */
  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
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
    else this.scheduleProbe();
  }

  private returned(): void {
    this.lost = undefined;
    this.logger.warn('The database answers again.');
  }
}
