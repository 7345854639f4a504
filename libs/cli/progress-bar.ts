import type { WriteStream } from 'node:tty';

/** The part of standard error that a progress bar uses. */
type ProgressTerminal = Partial<Pick<WriteStream, 'columns' | 'isTTY'>> & { write(text: string): unknown };

const REDRAW_INTERVAL_MILLISECONDS = 100;
/** Without a terminal, such as in the log of a job. */
const LINE_INTERVAL_MILLISECONDS = 10_000;
const BAR_WIDTH = 30;
const CLEAR_LINE = '\r\u001b[2K';

/** Shows the progress of a long command: in one line, redrawn at most ten times a second, or without a terminal as a line every 10 s. */
export class ProgressBar {
  private lastDrawnAt: number;
  private drawn = false;

  constructor(
    private readonly label: string,
    private readonly terminal: ProgressTerminal = process.stderr,
    private readonly monotonicMilliseconds: () => number = () => performance.now(),
  ) {
    this.lastDrawnAt = terminal.isTTY === true ? Number.NEGATIVE_INFINITY : monotonicMilliseconds();
  }

  /** Shows `done` of `total`, in any unit; without a total, bytes. */
  update(done: bigint | number, total?: bigint | number): void {
    const isTerminal = this.terminal.isTTY === true;
    const now = this.monotonicMilliseconds();
    if (now - this.lastDrawnAt < (isTerminal ? REDRAW_INTERVAL_MILLISECONDS : LINE_INTERVAL_MILLISECONDS)) return;
    this.lastDrawnAt = now;
    if (total === undefined || !isTerminal) {
      const progress =
        total === undefined ? `${(Number(done) / 1_000_000).toFixed(1)} MB` : `${Math.floor(toFraction(done, total) * 100)}%`;
      if (!isTerminal) this.terminal.write(`${this.label}: ${progress}\n`);
      else this.draw(`${this.label} ${progress}`);
      return;
    }
    const fraction = toFraction(done, total);
    const filled = Math.round(fraction * BAR_WIDTH);
    this.draw(`${this.label} [${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${Math.floor(fraction * 100)}%`);
  }

  private draw(line: string): void {
    this.drawn = true;
    this.terminal.write(CLEAR_LINE + line.slice(0, (this.terminal.columns || 80) - 1));
  }

  /** Removes the bar, so that another line can be written; a later `update` shows it again. */
  clear(): void {
    if (!this.drawn) return;
    this.drawn = false;
    this.terminal.write(CLEAR_LINE);
  }
}

function toFraction(done: bigint | number, total: bigint | number): number {
  return Number(total) <= 0 ? 1 : Math.min(1, Math.max(0, Number(done) / Number(total)));
}

/** Reports the progress of a long command, in any unit. */
export type Progress = (done: bigint, total: bigint) => void;

/** Shows the progress that `work` reports, until it settles. */
export async function withProgressBar<Result>(label: string, work: (onProgress: Progress) => Promise<Result>): Promise<Result> {
  const bar = new ProgressBar(label);
  try {
    return await work((done, total) => {
      bar.update(done, total);
    });
  } finally {
    bar.clear();
  }
}
