import { until } from '#libs/testing';
import type { ApiClient } from '../../e2e/api-client.fixture.js';
import type { AddAttempt } from '../history/history.js';
import { observe, postAddition } from '../history/observed-request.fixture.js';
import type { LoggedPostgres } from './logged-postgres.fixture.js';

/**
 * Tries until a write and a read succeed, no session is left in a transaction and the write lock is free.
 * @param label names the fault, and the animals
 * @returns the animals that it was tried with
 * @throws LivenessError when that does not come about
 */
export async function awaitWholeness(client: ApiClient, postgres: LoggedPostgres, label: string): Promise<readonly AddAttempt[]> {
  const adds: AddAttempt[] = [];
  let problem: string | undefined;
  await until(
    async () => {
      const add = await addOnce(client, `after ${label}, attempt ${adds.length + 1}`);
      adds.push(add);
      problem = (await whatFails(client, add)) ?? (await postgres.stuckSessions())[0];
      return problem === undefined;
    },
    () => `${problem}, after ${label}`,
  );
  return adds;
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
