import { ApplicationError } from '#libs/observability';
import { countRemaining, retryAfter, secondsBetween, tighterWindow, type Decision, type LimitStatus } from '../domain/decision.js';

/**
 * Returns the headers of every response: `X-RateLimit-*` (interface section 8), which describe the ban or else the window that blocks first,
 * and `RateLimit-Policy` and `RateLimit` of the IETF draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers, revision
 * 8 and later), which describe all windows and the ban. Times are rounded up to seconds.
 */
export function limitHeaders(status: LimitStatus): Readonly<Record<string, string>> {
  const { at, windows, bannedUntil } = status;
  const window = tighterWindow(windows);
  const isBanned = bannedUntil > 0;
  const left = windows.map((each) => `"${each.name}";r=${countRemaining(each)};t=${secondsBetween(at, each.endsAt)}`);
  return {
    'x-ratelimit-limit': `${window.limit}`,
    'x-ratelimit-remaining': `${isBanned ? 0 : countRemaining(window)}`,
    'x-ratelimit-reset': `${Math.ceil((isBanned ? bannedUntil : window.endsAt) / 1_000)}`,
    'ratelimit-policy': windows.map(({ name, limit, seconds }) => `"${name}";q=${limit};w=${seconds}`).join(', '),
    ratelimit: [...(isBanned ? [`"ban";r=0;t=${retryAfter(status)}`] : []), ...left].join(', '),
  };
}

/**
 * Returns the 429 of a request that was not admitted.
 * @param reason of an operator who banned the key; undefined for a key that continued to send after 429 responses
 */
export function toRefusal(decision: Decision, reason: string | undefined): ApplicationError {
  const { name, limit } = tighterWindow(decision.windows);
  if (decision.outcome !== 'banned') return createRateLimitedError(`${limit} requests a ${name}`, decision);
  const seconds = retryAfter(decision);
  const why = reason === undefined ? ', because it continued to send after 429 responses.' : `. The operator says: ${reason}`;
  return createRefusal('key_banned', `This API key is banned for ${seconds} s${why}`, seconds);
}

/**
 * Returns the 429 of a limit that is used up.
 * @param limit such as `60 requests a minute`
 */
export function createRateLimitedError(limit: string, status: LimitStatus): ApplicationError {
  const seconds = retryAfter(status);
  return createRefusal('rate_limited', `The limit of ${limit} is used up; try again in ${seconds} s, and back off exponentially.`, seconds);
}

function createRefusal(code: 'rate_limited' | 'key_banned', message: string, seconds: number): ApplicationError {
  return new ApplicationError(code, message, { headers: { 'retry-after': `${seconds}` } });
}
