import type { WriteStream } from 'node:tty';

/** The part of standard error that a progress bar uses. */
type ProgressTerminal = Partial<Pick<WriteStream, 'columns' | 'isTTY'>> & { write(text: string): unknown };

const REDRAW_INTERVAL_MILLISECONDS = 100;
const BAR_WIDTH = 30;
const CLEAR_LINE = '\r\u001b[2K';

/** Shows the progress of a long command in one line, redrawn at most ten times a second. Writes nothing if the stream is not a terminal. */
export class ProgressBar {
  private lastDrawnAt = Number.NEGATIVE_INFINITY;
  private drawn = false;

  constructor(
    private readonly label: string,
    private readonly terminal: ProgressTerminal = process.stderr,
    private readonly monotonicMilliseconds: () => number = () => performance.now(),
  ) {}

  /** Shows `done` of `total`, in any unit. */
  update(done: bigint | number, total: bigint | number): void {
    if (this.terminal.isTTY !== true) return;
    const now = this.monotonicMilliseconds();
    if (now - this.lastDrawnAt < REDRAW_INTERVAL_MILLISECONDS) return;
    this.lastDrawnAt = now;
    this.drawn = true;
    const fraction = Number(total) <= 0 ? 1 : Math.min(1, Math.max(0, Number(done) / Number(total)));
    const filled = Math.round(fraction * BAR_WIDTH);
    const line = `${this.label} [${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${Math.floor(fraction * 100)}%`;
    this.terminal.write(CLEAR_LINE + line.slice(0, (this.terminal.columns || 80) - 1));
  }

  /** Removes the bar, so that another line can be written; a later `update` shows it again. */
  clear(): void {
    if (!this.drawn) return;
    this.drawn = false;
    this.terminal.write(CLEAR_LINE);
  }
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
