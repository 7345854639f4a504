import { announce, rateLimitHeaders } from './announcement.js';
import type { Windows } from '../domain/windows.js';

const NOW = Date.UTC(2026, 0, 1, 12, 0, 18, 1);
const MINUTE_END = Date.UTC(2026, 0, 1, 12, 1, 0);
const DAY_END = Date.UTC(2026, 0, 2);

const windows = (minuteUsed: number, dayUsed: number): Windows => ({
  minute: { limit: 60, used: minuteUsed, endsAt: MINUTE_END },
  day: { limit: 1_000, used: dayUsed, endsAt: DAY_END },
});

describe('what the headers of an answer say', () => {
  it('is the tighter window, and the seconds left of both rounded up', () => {
    expect(announce({ at: NOW, windows: windows(1, 188), bannedUntil: 0 })).toEqual({
      limit: 60,
      remaining: 59,
      resetAt: MINUTE_END / 1_000,
      retryAfter: 42,
      isBanned: false,
      minute: { limit: 60, remaining: 59, secondsLeft: 42 },
      day: { limit: 1_000, remaining: 812, secondsLeft: 43_182 },
    });
  });

  it('has a client wait for the day when both windows are used up', () => {
    expect(announce({ at: NOW, windows: windows(60, 1_000), bannedUntil: 0 })).toMatchObject({
      limit: 1_000,
      remaining: 0,
      resetAt: DAY_END / 1_000,
      retryAfter: 43_182,
    });
  });

  it('is the end of a ban with nothing left before it, beside the windows as they stand', () => {
    const bannedUntil = NOW + 300_000;
    expect(announce({ at: NOW, windows: windows(0, 100), bannedUntil })).toEqual({
      limit: 60,
      remaining: 0,
      resetAt: Math.ceil(bannedUntil / 1_000),
      retryAfter: 300,
      isBanned: true,
      minute: { limit: 60, remaining: 60, secondsLeft: 42 },
      day: { limit: 1_000, remaining: 900, secondsLeft: 43_182 },
    });
  });

  it('names the ban beside the windows while there is one', () => {
    const fieldAt = (bannedUntil: number) => rateLimitHeaders(announce({ at: NOW, windows: windows(59, 100), bannedUntil }))['ratelimit'];
    expect(fieldAt(NOW + 4_500)).toBe('"ban";r=0;t=5, "minute";r=1;t=42, "day";r=900;t=43182');
    expect(fieldAt(0)).toBe('"minute";r=1;t=42, "day";r=900;t=43182');
  });
});
