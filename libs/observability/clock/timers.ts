export interface SleepOptions {
  /** Ends the wait early. */
  readonly signal?: AbortSignal;
  /** Whether the wait keeps the process running. Default true. */
  readonly ref?: boolean;
}

/** How time passes: everything that waits, or measures how long something takes. `Clock` says what time it is. */
export abstract class Timers {
  /** Milliseconds since an unknown moment, with fractions. Never goes back. */
  abstract now(): number;

  /** Resolves after so many milliseconds, or as soon as `signal` is aborted. Never rejects. */
  sleep(milliseconds: number, { signal, ref = true }: SleepOptions = {}): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.start(milliseconds, end, ref);
      signal?.addEventListener('abort', end);
      if (signal?.aborted) end();
    });
  }

  /**
   * Returns how a promise settles, or undefined if it does not within so many milliseconds. Never rejects; the caller that awaits the promise
   * gets its error.
   */
  within(promise: Promise<unknown>, milliseconds: number): Promise<'fulfilled' | 'rejected' | undefined> {
    return new Promise((resolve) => {
      const cancel = this.start(milliseconds, () => resolve(undefined), true);
      const settle = (outcome: 'fulfilled' | 'rejected') => {
        cancel();
        resolve(outcome);
      };
      promise.then(
        () => settle('fulfilled'),
        () => settle('rejected'),
      );
    });
  }

  /** Calls `action` once after so many milliseconds, never before it has returned. @returns a function that cancels the call */
  protected abstract start(milliseconds: number, action: () => void, ref: boolean): () => void;
}

/** The machine's own timers; `now` is `performance.now()`. */
export class SystemTimers extends Timers {
  now(): number {
    return performance.now();
  }

  protected start(milliseconds: number, action: () => void, ref: boolean): () => void {
    const timer = setTimeout(action, milliseconds);
    if (!ref) timer.unref();
    return () => clearTimeout(timer);
  }
}

/** Of the process, for code that Nest does not construct. */
export const systemTimers: Timers = new SystemTimers();
