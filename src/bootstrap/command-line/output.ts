import type { WriteStream } from 'node:tty';
import { generalView, detectStyle, Table, type Cells, type Terminal, type View } from '#libs/cli';

const FLUSH_AT_LENGTH = 65_536;

/** The reader of standard output has gone away, as `head` does. */
export class OutputClosedError extends Error {
  override readonly name = 'OutputClosedError';
}

/** Writes standard output in large pieces. */
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

/** A stream that may be a terminal. */
export type ResultStream = NodeJS.WritableStream & Partial<Pick<WriteStream, 'columns' | 'isTTY'>>;

type Environment = Readonly<Record<string, string | undefined>>;

const USUAL_COLUMNS = 80;
const NO_TERMINAL: Terminal = { columns: Number.POSITIVE_INFINITY, style: (_tone, text) => text };

/** Writes the results of commands: for people on a terminal, else as JSON. */
export class ResultPrinter {
  /** Whether `--json` was given. */
  asksForJson = false;
  /** Set before a command acts: the one that knows int64 is part of the application. */
  stringify: (value: unknown) => string = JSON.stringify;

  constructor(
    private readonly output: StandardOutput,
    private readonly stream: ResultStream,
    private readonly environment: () => Environment,
  ) {}

  print<Value>(value: Value, view: View<Value> = generalView): void {
    const terminal = this.terminal();
    if (terminal) this.printLines(view(value, terminal));
    else this.printJson(value);
  }

  printText<Value>(value: Value, view: View<Value>): void {
    if (this.asksForJson) this.printJson(value);
    else this.printLines(view(value, this.terminal() ?? NO_TERMINAL));
  }

  printRows<Row>(toCells: (row: Row) => Cells): (page: readonly Row[]) => void {
    const terminal = this.terminal();
    let lines: Table | undefined;
    return (page) => {
      if (!terminal) {
        for (const row of page) this.printJson(row);
        return;
      }
      const rows = page.map(toCells);
      if (rows.length === 0) return;
      if (!lines) this.printLines([(lines = new Table(rows, terminal)).headings()]);
      for (const row of rows) this.printLines([lines.row(row)]);
    };
  }

  printJson(value: unknown): void {
    this.printLines([this.stringify(value)]);
  }

  /** Returns the terminal that shows results to people; undefined if a program reads them. */
  private terminal(): Terminal | undefined {
    const { isTTY, columns } = this.stream;
    if (isTTY !== true || this.asksForJson) return undefined;
    return { columns: columns || USUAL_COLUMNS, style: detectStyle(this.environment()) };
  }

  private printLines(lines: readonly string[]): void {
    for (const line of lines) this.output.write(`${line}\n`);
  }
}
