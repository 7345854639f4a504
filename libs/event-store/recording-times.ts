import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '#libs/clock';

// Clocks that are kept by NTP differ by less.
const TOLERATED_MILLISECONDS = 1_000;

/** Gives the times of events. Along the log they never go back, whatever the clocks of the machines do. */
@Injectable()
export class RecordingTimes {
  private readonly logger = new Logger('EventStore');
  private isBehind = false;

  constructor(private readonly clock: Clock) {}

  /** What the clock says by which everything goes. */
  now(): Date {
    return this.clock.now();
  }

  /**
   * The time of events that are recorded now. Says so in the log when the newest event is far ahead of the clock, once until
   * the clock has passed it.
   * @param newest that of the newest event, undefined where there is none
   */
  following(newest: Date | undefined, now: Date): Date {
    if (newest === undefined || newest <= now) {
      this.isBehind = false;
      return now;
    }
    if (!this.isBehind && newest.getTime() - now.getTime() > TOLERATED_MILLISECONDS) this.warn(newest, now);
    return newest;
  }

  private warn(newest: Date, now: Date): void {
    this.isBehind = true;
    this.logger.warn(
      `The newest event is of ${newest.toISOString()}, but the clock says ${now.toISOString()}: until it has passed that, ` +
        `all events are recorded with that time. Set the clocks of all machines right.`,
    );
  }
}
