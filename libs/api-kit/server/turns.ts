/** What goes on in a turn of its own. */
export interface Waiting {
  goOn(): void;
}

/** Lets connections go on one after another, one in each turn of the event loop, so that all others have their turn between. */
export class Turns {
  private readonly waiting = new Set<Waiting>();
  private isScheduled = false;

  add(one: Waiting): void {
    this.waiting.add(one);
    this.schedule();
  }

  private schedule(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    setImmediate(this.run);
  }

  private readonly run = (): void => {
    this.isScheduled = false;
    const [next] = this.waiting;
    if (!next) return;
    this.waiting.delete(next);
    if (this.waiting.size > 0) this.schedule();
    next.goOn();
  };
}
