const FLUSH_AT_LENGTH = 65_536;

/** Whoever read standard output has gone away, as `head` does; nothing more can be said to them. */
export class OutputClosedError extends Error {
  override readonly name = 'OutputClosedError';
}

/** Standard output, written in large pieces. */
export class StandardOutput {
  private waiting = '';
  private failure: Error | undefined;

  constructor(private readonly stream: NodeJS.WritableStream) {
    stream.on('error', (error: Error) => (this.failure ??= error));
  }

  /** @throws OutputClosedError or the error of the stream when an earlier piece could not be written. */
  write(text: string): void {
    this.throwFailure();
    this.waiting += text;
    if (this.waiting.length >= FLUSH_AT_LENGTH) this.stream.write(this.takeWaiting());
  }

  /** Resolves when everything is written. @throws as `write` does. */
  async flush(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.stream.write(this.takeWaiting(), () => {
        resolve();
      });
    });
    this.throwFailure();
  }

  private takeWaiting(): string {
    const text = this.waiting;
    this.waiting = '';
    return text;
  }

  private throwFailure(): void {
    if (this.failure === undefined) return;
    if ('code' in this.failure && this.failure.code === 'EPIPE') throw new OutputClosedError('Standard output is closed.');
    throw this.failure;
  }
}
