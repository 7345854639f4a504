import type { Windows } from '../domain/decision.js';
import { limitHeaders, retryAfter } from './rate-limit.hook.js';

const NOW = Date.UTC(2026, 0, 1, 12, 0, 18, 1);
const MINUTE_END = Date.UTC(2026, 0, 1, 12, 1, 0);
const DAY_END = Date.UTC(2026, 0, 2);

const windows = (minuteUsed: number, dayUsed: number): Windows => ({
  minute: { limit: 60, used: minuteUsed, endsAt: MINUTE_END },
  day: { limit: 1_000, used: dayUsed, endsAt: DAY_END },
});

describe('the limit headers', () => {
  it.each([
    ['the tighter window', windows(1, 188), 0, [60, 59, MINUTE_END / 1_000, 42], '"minute";r=59;t=42, "day";r=812;t=43182'],
    ['the day if both are used up', windows(60, 1_000), 0, [1_000, 0, DAY_END / 1_000, 43_182], '"minute";r=0;t=42, "day";r=0;t=43182'],
    [
      'the end of a ban, beside the windows as they are',
      windows(0, 100),
      NOW + 299_500,
      [60, 0, Math.ceil((NOW + 299_500) / 1_000), 300],
      '"ban";r=0;t=300, "minute";r=60;t=42, "day";r=900;t=43182',
    ],
  ])('describe %s, with times rounded up', (_name, state, bannedUntil, [limit, remaining, reset, seconds], ratelimit) => {
    const status = { at: NOW, windows: state, bannedUntil };
    expect(limitHeaders(status)).toEqual({
      'x-ratelimit-limit': `${limit}`,
      'x-ratelimit-remaining': `${remaining}`,
      'x-ratelimit-reset': `${reset}`,
      'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
      ratelimit,
    });
    expect(retryAfter(status)).toBe(seconds);
  });
});
