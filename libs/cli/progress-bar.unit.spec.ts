import { ProgressBar } from './progress-bar.js';

const CLEAR = '\r\u001b[2K';

function open(label: string, { isTTY = true, columns = 80 } = {}) {
  const written: string[] = [];
  const time = { now: 0 };
  const terminal = { isTTY, columns, write: (text: string) => written.push(text) };
  return { written, time, bar: new ProgressBar(label, terminal, () => time.now) };
}

describe('ProgressBar', () => {
  it('writes nothing if standard error is no terminal', () => {
    const { written, bar } = open('reading', { isTTY: false });
    bar.update(1, 2);
    bar.clear();
    expect(written).toEqual([]);
  });

  it('shows the label and the part that is done, at most ten times a second', () => {
    const { written, time, bar } = open('reading');
    for (time.now = 0; time.now < 1_000; time.now += 1) bar.update(BigInt(time.now), 1_000n);
    expect(written).toHaveLength(10);
    expect(written[5]).toContain('reading [###############...............] 50%');
  });

  it('clears its line once and comes back no sooner than it would have been redrawn', () => {
    const { written, time, bar } = open('reading');
    bar.update(1, 2);
    bar.clear();
    bar.clear();
    bar.update(1, 2);
    expect(written.slice(1)).toEqual([CLEAR]);
    time.now = 100;
    bar.update(1, 2);
    expect(written).toHaveLength(3);
  });

  it('stays within a narrow terminal and within 0 and 100 percent', () => {
    const { written, time, bar } = open('a long label', { columns: 20 });
    bar.update(5, 0);
    time.now = 1_000;
    bar.update(7, 5);
    expect(written.map((text) => text.slice(CLEAR.length).length)).toEqual([19, 19]);
  });
});
