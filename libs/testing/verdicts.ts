/** Something did not happen in time. `scripts/run-tests.mjs` runs this and what is unjudged once more; any other error is final. */
export class LivenessError extends Error {
  constructor(message: string) {
    super(`LIVENESS: ${message}`);
    this.name = 'LivenessError';
  }
}

/** The test got too little done to judge the service, for example too few requests on a busy machine. */
export class UnjudgedError extends Error {
  constructor(message: string) {
    super(`UNJUDGED: ${message}`);
    this.name = 'UnjudgedError';
  }
}
