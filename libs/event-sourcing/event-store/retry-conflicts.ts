import { setTimeout as delay } from 'node:timers/promises';
import { ConcurrencyError } from './append-group.js';

// The longest wait of a write for the lock.
const DEFAULT_MAX_WAIT_MILLISECONDS = 5_000;
const MAX_PAUSE_MILLISECONDS = 50;

/**
 * Repeats `attempt`, which reads, decides and appends, while another writer comes first, with a short random pause before each repeat.
 * @param maxWaitMilliseconds no further attempt is made after it. Default 5,000.
 * @throws ConcurrencyError if other writers came first until then.
 */
export async function retryConflicts<Result>(
  attempt: () => Promise<Result>,
  maxWaitMilliseconds = DEFAULT_MAX_WAIT_MILLISECONDS,
): Promise<Result> {
  const deadline = performance.now() + maxWaitMilliseconds;
  for (let count = 0; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConcurrencyError) || performance.now() > deadline) throw error;
    }
    await delay(Math.random() * Math.min(2 ** count, MAX_PAUSE_MILLISECONDS));
  }
}
