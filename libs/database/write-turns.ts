import { DatabaseUnavailableError } from './database.errors.js';

/** The writers of this process, one after another in the order of their coming. */
export class WriteTurns {
  private last: Promise<unknown> = Promise.resolve();

  /**
   * Runs `work` when all that was taken before has settled.
   * @param deadline until when its turn must have come, on the time line of `performance.now()`
   * @throws DatabaseUnavailableError at the deadline where it has not; `work` is never run then.
   */
  take<Result>(deadline: number, work: () => Promise<Result>): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      let isLate = false;
      const timer = setTimeout(() => {
        isLate = true;
        reject(new DatabaseUnavailableError(new Error('the writers before took too long')));
      }, deadline - performance.now());
      this.last = this.last.then(() => {
        clearTimeout(timer);
        return isLate ? undefined : work().then(resolve, reject);
      });
    });
  }
}
