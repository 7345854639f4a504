import type { WriteStream } from 'node:tty';

/** The part of standard error that shows progress. */
type ProgressStream = Partial<Pick<WriteStream, 'isTTY'>> & { write(text: string): unknown };

const REDRAW_INTERVAL_MILLISECONDS = 100;
/** Without a terminal, such as in the log of a job. */
const LINE_INTERVAL_MILLISECONDS = 10_000;
const CLEAR_LINE = '\r\u001b[2K';

/** Shows the progress of a long command: in one line, redrawn at most ten times a second, or without a terminal as a line every 10 s. */
export class ProgressLine {
  private readonly isTerminal: boolean;
  private lastShownAt: number;
  private isShown = false;

  constructor(
    private readonly label: string,
    private readonly stream: ProgressStream = process.stderr,
  ) {
    this.isTerminal = stream.isTTY === true;
    this.lastShownAt = this.isTerminal ? Number.NEGATIVE_INFINITY : performance.now();
  }

  /** Shows `done` of `total`, in any unit; without a total, bytes. */
  update(done: bigint | number, total?: bigint | number): void {
    const now = performance.now();
    if (now - this.lastShownAt < (this.isTerminal ? REDRAW_INTERVAL_MILLISECONDS : LINE_INTERVAL_MILLISECONDS)) return;
    this.lastShownAt = now;
    const percent = Number(total) > 0 ? Math.min(100, Math.floor((Number(done) / Number(total)) * 100)) : 100;
    const line = `${this.label}: ${total === undefined ? `${(Number(done) / 1_000_000).toFixed(1)} MB` : `${percent}%`}`;
    this.stream.write(this.isTerminal ? CLEAR_LINE + line : `${line}\n`);
    this.isShown = this.isTerminal;
  }

  /** Removes the line, so that another one can be written; a later `update` shows it again. */
  clear(): void {
    if (this.isShown) this.stream.write(CLEAR_LINE);
    this.isShown = false;
  }
}

/** Reports the progress of a long command, in any unit. */
export type Progress = (done: bigint, total: bigint) => void;

/** Shows the progress that `work` reports, until it settles. */
export async function withProgress<Result>(label: string, work: (onProgress: Progress) => Promise<Result>): Promise<Result> {
  const line = new ProgressLine(label);
  try {
    return await work((done, total) => line.update(done, total));
  } finally {
    line.clear();
  }
}
