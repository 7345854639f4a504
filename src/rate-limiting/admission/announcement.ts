import type { Allowance } from '../domain/decision.js';
import { remainingIn, tighterWindow, type WindowState } from '../domain/windows.js';

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

/** What the headers of an answer say of one window. */
export interface AnnouncedWindow {
  readonly limit: number;
  readonly remaining: number;
  /** Until the window ends, rounded up. */
  readonly secondsLeft: number;
}

/** What the headers of an answer say. */
export interface Announcement {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds, rounded up. */
  readonly resetAt: number;
  /** A client that waits so many seconds finds what blocked it over. */
  readonly retryAfter: number;
  readonly isBanned: boolean;
  /** The windows as they stand, also during a ban. */
  readonly minute: AnnouncedWindow;
  readonly day: AnnouncedWindow;
}

export type RateLimitHeaders = Readonly<Record<string, string>>;

/** Describes the window that blocks first or, during a ban, the ban; and both windows. */
export function announce({ at, windows, bannedUntil }: Allowance): Announcement {
  const window = tighterWindow(windows);
  const isBanned = bannedUntil > 0;
  const endsAt = isBanned ? bannedUntil : window.endsAt;
  return {
    limit: window.limit,
    remaining: isBanned ? 0 : remainingIn(window),
    resetAt: Math.ceil(endsAt / 1_000),
    retryAfter: secondsUntil(endsAt, at),
    isBanned,
    minute: announceWindow(windows.minute, at),
    day: announceWindow(windows.day, at),
  };
}

/**
 * The headers of every answer: `X-RateLimit-*` (interface section 8) and, for both windows, the fields `RateLimit-Policy` and
 * `RateLimit` of the IETF draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers, revision 8 and later), the latter with a ban as a
 * third item while there is one.
 */
export function rateLimitHeaders({ limit, remaining, resetAt, retryAfter, isBanned, minute, day }: Announcement): RateLimitHeaders {
  const ban = isBanned ? `"ban";r=0;t=${retryAfter}, ` : '';
  return {
    'x-ratelimit-limit': `${limit}`,
    'x-ratelimit-remaining': `${remaining}`,
    'x-ratelimit-reset': `${resetAt}`,
    'ratelimit-policy': `"minute";q=${minute.limit};w=${MINUTE_SECONDS}, "day";q=${day.limit};w=${DAY_SECONDS}`,
    ratelimit: `${ban}"minute";r=${minute.remaining};t=${minute.secondsLeft}, "day";r=${day.remaining};t=${day.secondsLeft}`,
  };
}

function announceWindow(window: WindowState, at: number): AnnouncedWindow {
  return { limit: window.limit, remaining: remainingIn(window), secondsLeft: secondsUntil(window.endsAt, at) };
}

function secondsUntil(instant: number, at: number): number {
  return Math.ceil((instant - at) / 1_000);
}
