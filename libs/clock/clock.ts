/** The source of the current time. Domain code never reads it: time is an argument there. */
export abstract class Clock {
  /** The current instant, to the millisecond, UTC. */
  abstract now(): Date;
}

/** The machine's own clock. */
export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}
