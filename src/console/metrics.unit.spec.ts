import { quantile, subtractBuckets, type Buckets } from './metrics.js';

const BOUNDS = [1, 2, 5, 10];

function bucketsOf(values: readonly number[]): Buckets {
  return [...BOUNDS, Infinity].map((upTo) => ({ upTo, count: values.filter((value) => value <= upTo).length }));
}

describe('a quantile of a histogram', () => {
  it('is that of the observations between two readings', () => {
    expect(quantile([], 0.5)).toBeNull();
    const before = [0.5, 0.5, 0.5];
    const after = bucketsOf([...before, 7]);
    expect(quantile(subtractBuckets(after, bucketsOf(before)), 0.5)).toBe(7.5);
    expect(subtractBuckets(after, [])).toEqual(after);
  });
});
