import { ProgressBar } from './progress-bar.js';

class RecordedTerminal {
  readonly written: string[] = [];

  constructor(
    readonly isTTY: boolean,
    readonly columns = 80,
  ) {}

  write(text: string): void {
    this.written.push(text);
  }
}

describe('ProgressBar', () => {
  it('writes nothing where standard error is no terminal', () => {
    const terminal = new RecordedTerminal(false);
    const bar = new ProgressBar('reading', terminal);
    bar.update(1, 2);
    bar.clear();
    expect(terminal.written).toEqual([]);
  });

  it('shows the label and the part that is done', () => {
    const terminal = new RecordedTerminal(true);
    new ProgressBar('reading', terminal).update(50n, 200n);
    expect(terminal.written.join('')).toContain('reading [########......................] 25%');
  });

  it('redraws at most ten times a second', () => {
    const terminal = new RecordedTerminal(true);
    let now = 0;
    const bar = new ProgressBar('reading', terminal, () => now);
    for (now = 0; now < 1_000; now += 1) bar.update(now, 1_000);
    expect(terminal.written).toHaveLength(10);
  });

  it('clears its line once and comes back no sooner than it would have been redrawn', () => {
    const terminal = new RecordedTerminal(true);
    let now = 0;
    const bar = new ProgressBar('reading', terminal, () => now);
    bar.update(1, 2);
    bar.clear();
    bar.clear();
    expect(terminal.written.at(-1)).toBe('\r\u001b[2K');
    expect(terminal.written).toHaveLength(2);
    bar.update(1, 2);
    expect(terminal.written).toHaveLength(2);
    now = 100;
    bar.update(1, 2);
    expect(terminal.written).toHaveLength(3);
  });

  it('stays within a narrow terminal and within 0 and 100 percent', () => {
    const terminal = new RecordedTerminal(true, 20);
    let now = 0;
    const bar = new ProgressBar('a long label', terminal, () => (now += 1_000));
    bar.update(5, 0);
    bar.update(7, 5);
    for (const text of terminal.written) expect(text.slice('\r\u001b[2K'.length)).toHaveLength(19);
  });
});
