/** Lets one wait until something has happened, also when it happened before the wait began. */
export class AsyncSignal {
  private hasHappened = false;
  private resolve: (() => void) | undefined;

  /** Something has happened. */
  wake(): void {
    this.hasHappened = true;
    this.resolve?.();
  }

  /** Resolves when something has happened since this resolved the last time. */
  async next(): Promise<void> {
    if (!this.hasHappened) await new Promise<void>((resolve) => (this.resolve = resolve));
    this.resolve = undefined;
    this.hasHappened = false;
  }
}
