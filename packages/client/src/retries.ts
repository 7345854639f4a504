import { AdoptionError } from './adoption-error.js';

const FIRST_WAIT = 500;
/** Also if `Retry-After` is 0: a service that says so again and again is not to be asked in a loop. */
const LEAST_WAIT = 100;
const REFUSED_FOR_NOW = 429;
const TEMPORARY = [408, REFUSED_FOR_NOW, 500, 502, 503, 504];
const TEMPORARY_CODES = ['idempotency_key_in_progress', 'network_error', 'timeout', 'unreadable_answer'];

export interface Attempt {
  readonly signal?: AbortSignal | undefined;
  /** Whether it does no more when it is done twice. If not, it is tried again only after 429, when nothing was done. */
  readonly isRepeatable: boolean;
}

export interface FailedAttempt {
  readonly attempt: number;
  /** Milliseconds until the next one. */
  readonly delay: number;
  readonly reason: AdoptionError;
}

/** The attempts of one call: how many there were, and how long it has waited between them. */
export class Retries {
  private failures = 0;
  private waited = 0;

  /**
   * @param maxWait milliseconds that all waits together may take
   * @param onRetry called before each wait
   */
  constructor(
    private readonly maxWait: number,
    private readonly onRetry: (failed: FailedAttempt) => void,
  ) {}

  /** The number of the attempt that is made now, from 1. */
  get attempt(): number {
    return this.failures + 1;
  }

  /** Begins again, as after a success. */
  renew(): void {
    this.failures = this.waited = 0;
  }

  /**
   * Waits until it may be tried again.
   * @throws the error itself if another attempt would not help or would be too late, and the signal's reason as soon as it is aborted
   */
  async waitAfter(error: unknown, { signal, isRepeatable }: Attempt): Promise<void> {
    signal?.throwIfAborted();
    if (!(error instanceof AdoptionError) || !isTemporary(error, isRepeatable)) throw error;
    const delay = delayAfter(error.retryAfter, this.failures, Math.random());
    if (this.waited + delay > this.maxWait) throw error;
    this.onRetry({ attempt: this.attempt, delay, reason: error });
    signal?.throwIfAborted();
    this.failures += 1;
    this.waited += delay;
    await pause(delay, signal);
  }
}

function isTemporary({ status, code }: AdoptionError, isRepeatable: boolean): boolean {
  return isRepeatable ? TEMPORARY.includes(status) || TEMPORARY_CODES.includes(code) : status === REFUSED_FOR_NOW;
}

/**
 * How many milliseconds to wait: what the service says, else twice as long with each failure, less up to a half.
 * @param retryAfter seconds
 * @param failures how many there were before this one
 * @param random from 0 to 1
 */
function delayAfter(retryAfter: number | undefined, failures: number, random: number): number {
  return retryAfter === undefined ? FIRST_WAIT * 2 ** failures * (1 - random / 2) : Math.max(LEAST_WAIT, retryAfter * 1_000);
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      // A caller may abort with any reason, as with fetch.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- the reason is the caller's own
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
