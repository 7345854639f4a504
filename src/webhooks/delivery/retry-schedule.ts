const LONGEST_WAIT = 24 * 3_600_000;
const LARGEST_JITTER = 0.2;

export interface RetryOptions {
  /** Milliseconds after the first, second, … attempt; a message is given up after the attempt that follows the last of them. */
  readonly delays: readonly number[];
  /** Returns a random number from 0 to 1, below 1. */
  readonly random: () => number;
}

export interface FailedAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly failedAt: Date;
  /** The `Retry-After` header of the response. */
  readonly retryAfter?: string | undefined;
}

/**
 * Returns when a message is sent again: after the delay of its attempt, lengthened by 0 to 20 % so that retries spread, or when its receiver
 * asks for it, whichever is later. Undefined if it is given up.
 */
export function nextAttemptAt({ delays, random }: RetryOptions, { attempt, failedAt, retryAfter }: FailedAttempt): Date | undefined {
  const delay = delays[attempt - 1];
  if (delay === undefined) return undefined;
  const lengthened = delay * (1 + LARGEST_JITTER * random());
  return new Date(failedAt.getTime() + Math.round(Math.max(lengthened, parseRetryAfter(retryAfter, failedAt))));
}

/** Returns the milliseconds that a `Retry-After` asks for (RFC 9110 section 10.2.3), at most 24 hours; 0 if it cannot be parsed. */
function parseRetryAfter(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0;
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now.getTime();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), LONGEST_WAIT);
}
