import type { WriteStream } from 'node:tty';
import { stringifyJson } from '#libs/api-kit';
import { generalView, styleOf, Table, type Cells, type Terminal, type View } from '#libs/cli-kit';
import type { StandardOutput } from './standard-output.js';

/** A stream that may be a terminal. */
export type ResultStream = NodeJS.WritableStream & Partial<Pick<WriteStream, 'columns' | 'isTTY'>>;

type Environment = Readonly<Record<string, string | undefined>>;

const USUAL_COLUMNS = 80;
const NO_TERMINAL: Terminal = { columns: Number.POSITIVE_INFINITY, style: (_tone, text) => text };

/** Writes the results of commands, in the form that whoever reads them can use. */
export class ResultPrinter {
  /** Whether `--json` was given. */
  asksForJson = false;

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

  printRows<Row>(cellsOf: (row: Row) => Cells): (page: readonly Row[]) => void {
    const terminal = this.terminal();
    let lines: Table | undefined;
    return (page) => {
      if (!terminal) {
        for (const row of page) this.printJson(row);
        return;
      }
      const rows = page.map(cellsOf);
      if (rows.length === 0) return;
      if (!lines) this.printLines([(lines = new Table(rows, terminal)).headings()]);
      for (const row of rows) this.printLines([lines.row(row)]);
    };
  }

  printJson(value: unknown): void {
    this.printLines([stringifyJson(value)]);
  }

  /** Where results for people go; undefined where a program reads them. */
  private terminal(): Terminal | undefined {
    const { isTTY, columns } = this.stream;
    if (isTTY !== true || this.asksForJson) return undefined;
    return { columns: columns || USUAL_COLUMNS, style: styleOf(this.environment()) };
  }

  private printLines(lines: readonly string[]): void {
    for (const line of lines) this.output.write(`${line}\n`);
  }
}
