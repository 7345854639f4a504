import { BatchLoader } from './batch-loader.js';

describe('a batch loader', () => {
  const readings: (readonly number[])[] = [];
  const loader = new BatchLoader<number, string>(async (keys) => {
    readings.push(keys);
    return new Map(keys.filter((key) => key < 100).map((key) => [key, `value ${key}`]));
  });
  beforeEach(() => (readings.length = 0));

  it('reads what is asked for together at once, each key once', async () => {
    const request = {};
    expect(await Promise.all([1, 2, 1, 100].map((key) => loader.load(request, key)))).toEqual(['value 1', 'value 2', 'value 1', undefined]);
    expect(readings).toEqual([[1, 2, 100]]);
  });

  it('keeps nothing for later, and shares nothing between requests', async () => {
    const request = {};
    await loader.load(request, 1);
    await Promise.all([loader.load(request, 1), loader.load({}, 1)]);
    expect(readings).toEqual([[1], [1], [1]]);
  });

  it('fails for all who asked', async () => {
    const failing = new BatchLoader<number, string>(() => Promise.reject(new Error('no database')));
    const request = {};
    const outcomes = await Promise.allSettled([failing.load(request, 1), failing.load(request, 2)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
