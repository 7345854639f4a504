import type { Allowance } from '../domain/decision.js';
import { remainingIn, tighterWindow, type WindowState } from '../domain/windows.js';

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

/** What the headers of an answer say of one window. */
export interface AnnouncedWindow {
  readonly limit: number;
  readonly remaining: number;
  /** Until the window ends, or until the ban does where that is later; rounded up. */
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
  readonly minute: AnnouncedWindow;
  readonly day: AnnouncedWindow;
}

export type RateLimitHeaders = Readonly<Record<string, string>>;

/** Describes the window that blocks first or, during a ban, the ban. */
export function announce({ at, windows, bannedUntil }: Allowance): Announcement {
  const window = tighterWindow(windows);
  const isBanned = bannedUntil > 0;
  const endsAt = isBanned ? bannedUntil : window.endsAt;
  return {
    limit: window.limit,
    remaining: isBanned ? 0 : remainingIn(window),
    resetAt: Math.ceil(endsAt / 1_000),
    retryAfter: secondsUntil(endsAt, at),
    minute: announceWindow(windows.minute, bannedUntil, at),
    day: announceWindow(windows.day, bannedUntil, at),
  };
}

/**
 * The headers of every answer: `X-RateLimit-*` (interface section 8) and, for both windows, the fields `RateLimit-Policy` and
 * `RateLimit` of the IETF draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers, revision 8 and later).
 */
export function rateLimitHeaders({ limit, remaining, resetAt, minute, day }: Announcement): RateLimitHeaders {
  return {
    'x-ratelimit-limit': `${limit}`,
    'x-ratelimit-remaining': `${remaining}`,
    'x-ratelimit-reset': `${resetAt}`,
    'ratelimit-policy': `"minute";q=${minute.limit};w=${MINUTE_SECONDS}, "day";q=${day.limit};w=${DAY_SECONDS}`,
    ratelimit: `"minute";r=${minute.remaining};t=${minute.secondsLeft}, "day";r=${day.remaining};t=${day.secondsLeft}`,
  };
}

function announceWindow(window: WindowState, bannedUntil: number, at: number): AnnouncedWindow {
  const remaining = bannedUntil > 0 ? 0 : remainingIn(window);
  return { limit: window.limit, remaining, secondsLeft: secondsUntil(Math.max(window.endsAt, bannedUntil), at) };
}

function secondsUntil(instant: number, at: number): number {
  return Math.ceil((instant - at) / 1_000);
}
