/** Milliseconds of skew above which operators are warned. Clocks that are kept by NTP differ by less. */
export const TOLERATED_SKEW_MILLISECONDS = 2_000;

/** The source of the current time. Domain code never reads it: time is an argument there. */
export abstract class Clock {
  /** The current instant, to the millisecond, UTC. */
  abstract now(): Date;

  /** Milliseconds by which the machine's own clock is ahead of this one; negative if it is behind. */
  get skew(): number {
    return 0;
  }
}

/** The machine's own clock. */
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
