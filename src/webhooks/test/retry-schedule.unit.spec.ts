import fc from 'fast-check';
import { computeNextAttempt } from '../delivery/sender.js';

const DAY = 24 * 3_600_000;
const delays = [5_000, 300_000, 1_800_000];
const failedAt = new Date('2026-06-01T12:00:00.000Z');
const attempts = fc.integer({ min: 1, max: delays.length });
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

/** Milliseconds until the next attempt; undefined if there is none. */
function waitOf(attempt: number, { random = 0, retryAfter }: { readonly random?: number; readonly retryAfter?: string } = {}) {
  const next = computeNextAttempt({ attempt, attemptedAt: failedAt, retryAfter }, delays, () => random);
  return next && next.getTime() - failedAt.getTime();
}

describe('the next attempt to send a message', () => {
  it('comes after the delay of the one that failed, longer by 0 to 20 %', () => {
    fc.assert(
      fc.property(attempts, chance, (attempt, random) => {
        const delay = delays[attempt - 1] ?? 0;
        expect(waitOf(attempt, { random })).toBeGreaterThanOrEqual(delay);
        expect(waitOf(attempt, { random })).toBeLessThanOrEqual(delay * 1.2);
      }),
    );
    expect(waitOf(1, { random: 0.5 })).toBe(5_500);
  });

  it('does not come after the last one', () => {
    expect([waitOf(3), waitOf(4), waitOf(100)]).toEqual([1_800_000, undefined, undefined]);
  });

  it('comes when the receiver wants it, in seconds or at a time, where that is later, but not more than a day', () => {
    fc.assert(
      fc.property(attempts, fc.integer({ min: 0, max: 10 * DAY }), (attempt, seconds) => {
        const wait = Math.max(delays[attempt - 1] ?? 0, Math.min(seconds * 1_000, DAY));
        expect(waitOf(attempt, { retryAfter: `${seconds}` })).toBe(wait);
        expect(waitOf(attempt, { retryAfter: new Date(failedAt.getTime() + seconds * 1_000).toUTCString() })).toBe(wait);
      }),
    );
  });

  it.each(['', 'soon', '-5', '1.5', '5 s', '1e9', 'Sun, 32 Jun 2026 12:00:00 GMT', '2020-01-01'])(
    'takes no notice of the Retry-After %j',
    (retryAfter) => {
      expect(waitOf(1, { retryAfter })).toBe(5_000);
    },
  );
});
