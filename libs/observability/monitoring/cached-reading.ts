import { systemTimers } from '../clock/timers.js';

export interface CachedReadingOptions {
  /** Milliseconds for which a sample is given out again. */
  readonly maxAge: number;
  /** Milliseconds that a caller waits at the most. */
  readonly maxWaitMilliseconds: number;
}

/** Reads something that is not free, such as sizes from the database: not more often than said, and nobody waits for long. */
export class CachedReading<Value> {
  private latest: { readonly value: Value; readonly readAt: number } | undefined;
  private reading: Promise<void> | undefined;

  /** @param options default: a second for both */
  constructor(
    private readonly read: () => Promise<Value>,
    private readonly options: CachedReadingOptions = { maxAge: 1_000, maxWaitMilliseconds: 1_000 },
  ) {}

  /** The value, undefined if it cannot be read in time: nothing is better in a metric than a figure that is no longer true. */
  async get(): Promise<Value | undefined> {
    if (!this.isFresh()) await this.readWithinTimeout();
    return this.isFresh() ? this.latest?.value : undefined;
  }

  private isFresh(): boolean {
    return this.latest !== undefined && systemTimers.now() - this.latest.readAt <= this.options.maxAge;
  }

  private async readWithinTimeout(): Promise<void> {
    this.reading ??= this.readAgain().finally(() => (this.reading = undefined));
    await systemTimers.within(this.reading, this.options.maxWaitMilliseconds);
  }

  private async readAgain(): Promise<void> {
    try {
      const value = await this.read();
      this.latest = { value, readAt: systemTimers.now() };
    } catch {
      this.latest = undefined;
    }
  }
}
