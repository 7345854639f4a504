import type { Sent } from './sender.js';

const LONGEST_WAIT = 24 * 3_600_000;
const LARGEST_JITTER = 0.2;

/** A failed attempt; the first has the number 1. */
export type FailedAttempt = Pick<Sent, 'attemptedAt'> & { readonly attempt: number; readonly retryAfter?: string | undefined };

/**
 * Returns when a message is sent again: after the delay of its attempt, lengthened by 0 to 20 % so that retries spread, or when its receiver
 * asks for it, whichever is later. Undefined if it is given up.
 * @param delays milliseconds after the first, second, … attempt; a message is given up after the attempt that follows the last of them
 * @param random returns a random number from 0 to 1, below 1
 */
export function nextAttemptAt(
  { attempt, attemptedAt, retryAfter }: FailedAttempt,
  delays: readonly number[],
  random = Math.random,
): Date | undefined {
  const delay = delays[attempt - 1];
  if (delay === undefined) return undefined;
  const lengthened = delay * (1 + LARGEST_JITTER * random());
  return new Date(attemptedAt.getTime() + Math.round(Math.max(lengthened, parseRetryAfter(retryAfter, attemptedAt))));
}

/** Returns the milliseconds that a `Retry-After` asks for (RFC 9110 section 10.2.3), at most 24 hours; 0 if it cannot be parsed. */
function parseRetryAfter(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0;
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now.getTime();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), LONGEST_WAIT);
}
