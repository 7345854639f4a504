/**
 * What a failing test says of the service. Any other error is a safety failure (lost, doubled, reordered, leaked, over a limit, a wrong
 * answer): it fails at once and is never run again. `scripts/run-tests.mjs` runs the other two once more, alone.
 */
export class LivenessError extends Error {
  /** @param message what did not happen within the time it is waited for, with the last value seen */
  constructor(message: string) {
    super(`LIVENESS: ${message}`);
    this.name = 'LivenessError';
  }
}

/** The test got too little done to judge the service, for example too few requests on a busy machine. */
export class UnjudgedError extends Error {
  /** @param message what was too little, with the figure reached and the figure needed */
  constructor(message: string) {
    super(`UNJUDGED: ${message}`);
    this.name = 'UnjudgedError';
  }
}
