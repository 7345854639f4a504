import { setImmediate as nextTurn } from 'node:timers/promises';
import { BatchLoader } from './batch-loader.js';

describe('a batch loader', () => {
  const readings: (readonly number[])[] = [];
  const loader = new BatchLoader<number, string>(async (keys) => {
    readings.push(keys);
    return new Map(keys.filter((key) => key < 100).map((key) => [key, `value ${key}`]));
  });
  beforeEach(() => (readings.length = 0));

  it('reads what is asked for together at once, each key once', async () => {
    const owner = {};
    expect(await Promise.all([1, 2, 1, 100].map((key) => loader.load(owner, key)))).toEqual(['value 1', 'value 2', 'value 1', undefined]);
    expect(readings).toEqual([[1, 2, 100]]);
  });

  it('keeps nothing for later, and shares nothing between owners', async () => {
    const owner = {};
    await loader.load(owner, 1);
    await Promise.all([loader.load(owner, 1), loader.load({}, 1)]);
    expect(readings).toEqual([[1], [1], [1]]);
  });

  it('never gives what was read before it was asked for', async () => {
    const owner = {};
    let version = 0;
    const finishes: (() => void)[] = [];
    const slow = new BatchLoader<string, number>(async () => {
      const read = new Map([['a', (version += 1)]]);
      await new Promise<void>((resolve) => finishes.push(resolve));
      return read;
    });

    const early = slow.load(owner, 'a');
    await nextTurn();
    const late = slow.load(owner, 'a');
    await nextTurn();
    for (const finish of finishes) finish();

    expect([await early, await late]).toEqual([1, 2]);
  });

  it('fails for all who asked', async () => {
    const failing = new BatchLoader<number, string>(() => Promise.reject(new Error('no database')));
    const owner = {};
    const outcomes = await Promise.allSettled([failing.load(owner, 1), failing.load(owner, 2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
