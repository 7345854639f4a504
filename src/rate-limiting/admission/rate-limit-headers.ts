import type { Announcement } from '../domain/announcement.js';

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

export type RateLimitHeaders = Readonly<Record<string, string>>;

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
