import type { Timers } from '#libs/observability';

// Events that are committed within this time wake a loop once.
const GATHER_MILLISECONDS = 10;
// The shortest pause after a run that failed.
const RETRY_MILLISECONDS = 1_000;

/** Repeats work, one run after another. */
export class PollLoop {
  private last: Promise<void> = Promise.resolve();
  /** Ends the pause that it makes, or made last. */
  private pause: AbortController | undefined;
  private isWoken = false;
  private hasEnded = false;
  private isFailing = false;

  /**
   * @param intervalMilliseconds from the end of a run to the start of the next one; at least a second if the run failed
   * @param onFailure called with the first of several failures in a row
   */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly intervalMilliseconds: number,
    private readonly timers: Timers,
    private readonly onFailure: (error: unknown) => void = () => undefined,
  ) {}

  /** Whether the work should stop as soon as it can. */
  get isEnding(): boolean {
    return this.hasEnded;
  }

  /** Runs the work after all runs before. Resolves when it has ended; never rejects. */
  run(): Promise<void> {
    return (this.last = this.last.then(() => this.attempt()));
  }

  /** Runs the work at once, then again and again until the end. */
  start(): void {
    void this.repeat();
  }

  /** Makes a loop that was started run the work soon: now if it waits, else as soon as the run in progress has ended. */
  wake(): void {
    if (this.isWoken) return;
    this.isWoken = true;
    this.pause?.abort();
  }

  /** Resolves when the run in progress has ended. */
  end(): Promise<void> {
    this.hasEnded = true;
    this.pause?.abort();
    return this.last;
  }

  private async attempt(): Promise<void> {
    try {
      await this.work();
      this.isFailing = false;
    } catch (error) {
      if (!this.isFailing) this.onFailure(error);
      this.isFailing = true;
    }
  }

  private async repeat(): Promise<void> {
    while (!this.hasEnded) {
      this.isWoken = false;
      await this.run();
      await this.rest();
    }
  }

  private async rest(): Promise<void> {
    const { intervalMilliseconds, isFailing } = this;
    if (!this.isWoken) await this.wait(isFailing ? Math.max(intervalMilliseconds, RETRY_MILLISECONDS) : intervalMilliseconds);
    if (this.isWoken) await this.wait(GATHER_MILLISECONDS);
  }

  private async wait(milliseconds: number): Promise<void> {
    if (this.hasEnded) return;
    this.pause = new AbortController();
    await this.timers.sleep(milliseconds, { signal: this.pause.signal, ref: false });
  }
}
