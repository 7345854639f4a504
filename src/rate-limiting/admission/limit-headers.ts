import { ApplicationError } from '#libs/observability';
import { remainingIn, tighterWindow, type LimitStatus, type WindowState } from '../domain/decision.js';

export type LimitHeaders = Readonly<Record<string, string>>;

/**
 * Returns the headers of every response: `X-RateLimit-*` (interface section 8), which describe the ban or else the window that blocks first,
 * and `RateLimit-Policy` and `RateLimit` of the IETF draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers, revision
 * 8 and later), which describe both windows and the ban. Times are rounded up to seconds.
 */
export function limitHeaders(status: LimitStatus): LimitHeaders {
  const { at, windows, bannedUntil } = status;
  const { minute, day } = windows;
  const window = tighterWindow(windows);
  const isBanned = bannedUntil > 0;
  const ban = isBanned ? `"ban";r=0;t=${retryAfter(status)}, ` : '';
  const left = (each: WindowState) => `r=${remainingIn(each)};t=${secondsBetween(at, each.endsAt)}`;
  return {
    'x-ratelimit-limit': `${window.limit}`,
    'x-ratelimit-remaining': `${isBanned ? 0 : remainingIn(window)}`,
    'x-ratelimit-reset': `${Math.ceil((isBanned ? bannedUntil : window.endsAt) / 1_000)}`,
    'ratelimit-policy': `"minute";q=${minute.limit};w=60, "day";q=${day.limit};w=86400`,
    ratelimit: `${ban}"minute";${left(minute)}, "day";${left(day)}`,
  };
}

/** Returns the seconds after which the ban, or else the window that blocks first, is over. */
export function retryAfter({ at, windows, bannedUntil }: LimitStatus): number {
  return secondsBetween(at, bannedUntil > 0 ? bannedUntil : tighterWindow(windows).endsAt);
}

/** A limit is used up (429). */
export class RateLimitedError extends ApplicationError {
  override readonly name = 'RateLimitedError';

  constructor(limit: number, retryAfterSeconds: number) {
    super('rate_limited', `The limit of ${limit} requests is used up; try again in ${retryAfterSeconds} s, and back off exponentially.`, {
      headers: { 'retry-after': `${retryAfterSeconds}` },
    });
  }
}

/** The key is banned, as it went on sending after it was told to wait (429). */
export class KeyBannedError extends ApplicationError {
  override readonly name = 'KeyBannedError';

  constructor(retryAfterSeconds: number) {
    super('key_banned', `This API key is banned for ${retryAfterSeconds} s, because it went on sending after 429 answers.`, {
      headers: { 'retry-after': `${retryAfterSeconds}` },
    });
  }
}

function secondsBetween(from: number, to: number): number {
  return Math.ceil((to - from) / 1_000);
}
