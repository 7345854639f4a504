/** The part of standard error that a progress bar uses. */
export interface ProgressTerminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const REDRAW_INTERVAL_MILLISECONDS = 100;
const BAR_WIDTH = 30;
const CLEAR_LINE = '\r\u001b[2K';

/**
 * One line on standard error that shows how far a long command is. Silent where standard error is no terminal.
 * Redraws at most ten times a second; `clear` takes it away, a later `update` brings it back.
 */
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
    this.terminal.write(CLEAR_LINE + this.line(fraction(done, total)).slice(0, (this.terminal.columns || 80) - 1));
  }

  /** Takes the bar off the terminal, so that another line may be written. */
  clear(): void {
    if (!this.drawn) return;
    this.drawn = false;
    this.terminal.write(CLEAR_LINE);
  }

  private line(part: number): string {
    const filled = Math.round(part * BAR_WIDTH);
    return `${this.label} [${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${Math.floor(part * 100)}%`;
  }
}

function fraction(done: bigint | number, total: bigint | number): number {
  const whole = Number(total);
  return whole <= 0 ? 1 : Math.min(1, Math.max(0, Number(done) / whole));
}

/** How far a long command is, in any unit. */
export type Progress = (done: bigint, total: bigint) => void;

/** Shows a bar while `work` tells how far it is; it is gone when this settles. */
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
