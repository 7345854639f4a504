const LONGEST_WAIT = 24 * 3_600_000;
const LARGEST_DELAY_GROWTH = 0.2;

/** How failed messages are sent once more. */
export interface RetryOptions {
  /** Milliseconds after the first, second, … attempt; after the one behind the last of them a message is given up. */
  readonly delays: readonly number[];
  /** Draws a number from 0 to 1, below 1. */
  readonly random: () => number;
}

/** An attempt that failed. */
export interface FailedAttempt {
  /** From 1. */
  readonly attempt: number;
  readonly failedAt: Date;
  /** The header of the answer, as it was sent. */
  readonly retryAfter?: string | undefined;
}

/**
 * When a message is to be sent once more: after the delay of its attempt, longer by 0 to 20 % so that many do not come at once, or when
 * its receiver wants it, whichever is later. Undefined where it is given up.
 */
export function nextAttemptAt({ delays, random }: RetryOptions, { attempt, failedAt, retryAfter }: FailedAttempt): Date | undefined {
  const delay = delays[attempt - 1];
  if (delay === undefined) return undefined;
  const grown = delay * (1 + LARGEST_DELAY_GROWTH * random());
  return new Date(failedAt.getTime() + Math.round(Math.max(grown, waitAskedFor(retryAfter, failedAt))));
}

/** Milliseconds that a `Retry-After` asks for (RFC 9110 section 10.2.3), 24 hours at most; 0 for one that cannot be read. */
function waitAskedFor(retryAfter: string | undefined, now: Date): number {
  if (retryAfter === undefined) return 0;
  const wait = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - now.getTime();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), LONGEST_WAIT);
}
