import { settledWithin } from '#libs/clock';

const LONGEST_WAIT_MILLISECONDS = 20;

/**
 * Work whose outcome serves all who asked for it before it began. It begins at the end of the event-loop turn in which the first of
 * them asked, and after the run before it, unless that takes long; who asks meanwhile shares the next run.
 */
export class SingleFlight<Result> {
  private next: Promise<Result> | undefined;
  private running: Promise<Result> | undefined;

  constructor(private readonly work: () => Promise<Result>) {}

  join(): Promise<Result> {
    return (this.next ??= this.start());
  }

  private async start(): Promise<Result> {
    if (this.running) await settledWithin(this.running, LONGEST_WAIT_MILLISECONDS);
    await new Promise((resolve) => setImmediate(resolve));
    this.next = undefined;
    const run = this.work();
    this.running = run;
    try {
      return await run;
    } finally {
      if (this.running === run) this.running = undefined;
    }
  }
}
