import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../e2e/api-client.fixture.js';
import type { AddAttempt } from '../history/history.js';
import { observe, postAddition } from '../history/observed-request.fixture.js';
import type { LoggedPostgres } from './logged-postgres.fixture.js';

const WHOLE_WITHIN_MILLISECONDS = 2_000;
const PAUSE_MILLISECONDS = 20;
const PATIENCE_MILLISECONDS = 30_000;

/** How a service came back. */
export interface Recovery {
  /** From the end of the fault until a write and a read succeeded and nothing was left of the fault. */
  readonly milliseconds: number;
  /** What did not hold two seconds after it, in at most one sentence. */
  readonly violations: readonly string[];
  /** The animals that it was tried with. */
  readonly adds: readonly AddAttempt[];
}

/**
 * Tries until a write and a read succeed, no session is left in a transaction and the write lock is free.
 * @param label names the fault, and the animals
 * @param since when the fault ended, on the time line of `performance.now()`
 * @throws Error when that does not come about in half a minute
 */
export async function awaitWholeness(client: ApiClient, postgres: LoggedPostgres, label: string, since: number): Promise<Recovery> {
  const adds: AddAttempt[] = [];
  const violations: string[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const begun = performance.now();
    const add = await addOnce(client, `after ${label}, attempt ${attempt}`);
    adds.push(add);
    const problem = (await whatFails(client, add)) ?? (await postgres.stuckSessions())[0];
    const ended = performance.now();
    if (problem === undefined) return { milliseconds: ended - since, violations, adds };
    const late = begun - since;
    if (late > PATIENCE_MILLISECONDS) throw new Error(`${problem} still, long after ${label}`);
    if (late > WHOLE_WITHIN_MILLISECONDS && violations.length === 0) violations.push(`${problem} ${Math.round(late)} ms after ${label}`);
    await delay(PAUSE_MILLISECONDS);
  }
}

/** Adds an animal of this name once, and says what was seen of it. */
export async function addOnce(client: ApiClient, name: string, idempotencyKey?: string): Promise<AddAttempt> {
  const addition = { name, categoryId: '1', valid: true, ...(idempotencyKey !== undefined && { idempotencyKey }) };
  return { addition, ...(await observe(() => postAddition(client, addition))) };
}

async function whatFails(client: ApiClient, { outcome }: AddAttempt): Promise<string | undefined> {
  if (outcome.kind === 'unknown') return 'a write is answered with 503';
  const { status } = await client.get('/v1/pets?limit=100');
  return status === 200 ? undefined : `a read is answered with ${status}`;
}
