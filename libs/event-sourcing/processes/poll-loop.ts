import type { Timers } from '#libs/observability';

// Events that are committed within this time wake a loop once.
const GATHER_MILLISECONDS = 10;

/** Repeats work that never rejects, one run after another. */
export class PollLoop {
  private last: Promise<void> = Promise.resolve();
  /** Ends the pause that it makes, or made last. */
  private pause: AbortController | undefined;
  private isWoken = false;
  private hasEnded = false;

  /** @param intervalMilliseconds from the end of a run to the start of the next one */
  constructor(
    private readonly work: () => Promise<void>,
    private readonly intervalMilliseconds: number,
    private readonly timers: Timers,
  ) {}

  /** Whether the work should stop as soon as it can. */
  get isEnding(): boolean {
    return this.hasEnded;
  }

  /** Runs the work after all runs before. Resolves when it has ended. */
  run(): Promise<void> {
    return (this.last = this.last.then(this.work));
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

  private async repeat(): Promise<void> {
    while (!this.hasEnded) {
      this.isWoken = false;
      await this.run();
      await this.rest();
    }
  }

  private async rest(): Promise<void> {
    if (!this.isWoken) await this.wait(this.intervalMilliseconds);
    if (this.isWoken) await this.wait(GATHER_MILLISECONDS);
  }

  private async wait(milliseconds: number): Promise<void> {
    if (this.hasEnded) return;
    this.pause = new AbortController();
    await this.timers.sleep(milliseconds, { signal: this.pause.signal, ref: false });
  }
}
