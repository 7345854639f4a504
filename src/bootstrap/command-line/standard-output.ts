import type { WriteStream } from 'node:tty';

const FLUSH_AT_LENGTH = 65_536;

/** A stream that may be a terminal. */
export type ResultStream = NodeJS.WritableStream & Partial<Pick<WriteStream, 'columns' | 'isTTY'>>;

/** Writes standard output in large chunks. */
export class StandardOutput {
  private buffered = '';
  private failure: Error | undefined;

  constructor(readonly stream: ResultStream) {
    stream.on('error', (error: Error) => (this.failure ??= error));
  }

  /** @throws the error of the stream if an earlier chunk could not be written */
  write(text: string): void {
    if (this.failure) throw this.failure;
    this.buffered += text;
    if (this.buffered.length >= FLUSH_AT_LENGTH) this.stream.write(this.takeBuffered());
  }

  /** Resolves when everything is written. @throws as `write` does */
  async flush(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.stream.write(this.takeBuffered(), () => {
        resolve();
      });
    });
    if (this.failure) throw this.failure;
  }

  /** Whether the error says that the reader of standard output has gone away, as `head` does. */
  isClosedBy(error: unknown): boolean {
    return this.failure === error && this.failure !== undefined && 'code' in this.failure && this.failure.code === 'EPIPE';
  }

  private takeBuffered(): string {
    const text = this.buffered;
    this.buffered = '';
    return text;
  }
}
