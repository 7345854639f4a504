import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { until } from '#libs/testing';
import { countDroppedLines, GuardedOutput } from './guarded-output.js';

describe('the output of the log', () => {
  let folder: string;
  let fifo: string;
  const open: number[] = [];
  const opened = (path: string, flags: number) => {
    const descriptor = openSync(path, flags | constants.O_NONBLOCK);
    open.push(descriptor);
    return descriptor;
  };
  /** Reads all that is there now. */
  const readAll = (reader: number) => {
    const buffer = Buffer.alloc(4_194_304);
    let end = 0;
    try {
      for (let count = 1; count > 0; end += count) count = readSync(reader, buffer, end, buffer.length - end, null);
    } catch (error) {
      expect(error).toMatchObject({ code: 'EAGAIN' });
    }
    return buffer.toString('utf8', 0, end);
  };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'guarded-output-'));
    fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
  });
  afterEach(async () => {
    for (const descriptor of open.splice(0)) closeSync(descriptor);
    await rm(folder, { recursive: true });
  });

  it('is written together at the end of a turn of the event loop, in order, or when the process exits', async () => {
    const reader = opened(fifo, constants.O_RDONLY);
    const output = new GuardedOutput(opened(fifo, constants.O_WRONLY));
    output.write('a\n');
    await Promise.resolve();
    output.write('b\n');
    expect(readAll(reader)).toBe('');
    await nextTurn();
    expect(readAll(reader)).toBe('a\nb\n');
    output.write('last\n');
    output.end();
    expect(readAll(reader)).toBe('last\n');
  });

  it('does not wait for a pipe that nobody reads: the newest lines stay, and the next reader is told how many are missing', async () => {
    const reader = opened(fifo, constants.O_RDONLY);
    const output = new GuardedOutput(opened(fifo, constants.O_WRONLY));
    const before = countDroppedLines();
    const write = async (from: number, to: number) => {
      for (let number = from; number < to; number += 1) output.write(`${String(number).padStart(999)}\n`);
      await nextTurn();
    };
    await write(0, 1_000);
    await write(1_000, 4_000);
    output.end();
    const dropped = countDroppedLines() - before;
    expect(dropped).toBeGreaterThan(1_000);
    let text = '';
    await until(() => (text += readAll(reader)).endsWith(' 3999\n'));
    const lines = text.split('\n').slice(0, -1);
    const told = lines.findIndex((line) => line.startsWith('{'));
    expect(JSON.parse(lines[told] ?? '')).toMatchObject({ level: 40, dropped });
    const numbers = lines.filter((_, index) => index !== told).map(Number);
    expect(numbers).toEqual([
      ...Array(told).keys(),
      ...Array.from({ length: 4_000 - told - dropped }, (_, index) => told + dropped + index),
    ]);
  });

  it('goes on with the next reader after one has gone', async () => {
    const first = openSync(fifo, constants.O_RDONLY | constants.O_NONBLOCK);
    const output = new GuardedOutput(opened(fifo, constants.O_WRONLY));
    closeSync(first);
    output.write('kept\n');
    await nextTurn();
    const second = opened(fifo, constants.O_RDONLY);
    let text = '';
    await until(() => (text += readAll(second)) === 'kept\n');
  });

  it('survives a disk that is full', async () => {
    // Stays open: the output tries again for ever, and the next one to get this descriptor may be a connection to a database.
    const output = new GuardedOutput(openSync('/dev/full', constants.O_WRONLY));
    output.write('lost\n');
    await nextTurn();
    output.end();
  });
});
