import fc from 'fast-check';
import { quantile, subtractBuckets, type Buckets } from './metrics.js';

const BOUNDS = [1, 2, 5, 10];

function bucketsOf(values: readonly number[]): Buckets {
  return [...BOUNDS, Infinity].map((upTo) => ({ upTo, count: values.filter((value) => value <= upTo).length }));
}

describe('a quantile of a histogram', () => {
  it('is in the bucket that holds the value of its rank, or at the last bound', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.01, max: 20, noNaN: true }), { minLength: 1 }),
        fc.constantFrom(0.01, 0.5, 0.99, 1),
        (values, share) => {
          const rank = Math.ceil(share * values.length);
          const exact = [...values].sort((left, right) => left - right)[rank - 1] ?? 0;
          const upper = BOUNDS.find((bound) => exact <= bound) ?? 10;
          const lower = exact > 10 ? 10 : (BOUNDS[BOUNDS.indexOf(upper) - 1] ?? 0);
          const found = quantile(bucketsOf(values), share) ?? NaN;
          expect(found).toBeGreaterThanOrEqual(lower);
          expect(found).toBeLessThanOrEqual(upper);
        },
      ),
    );
  });

  it('is that of the observations between two readings', () => {
    expect(quantile([], 0.5)).toBeNull();
    const before = [0.5, 0.5, 0.5];
    const after = bucketsOf([...before, 7]);
    expect(quantile(subtractBuckets(after, bucketsOf(before)), 0.5)).toBe(7.5);
    expect(subtractBuckets(after, [])).toEqual(after);
  });
});
