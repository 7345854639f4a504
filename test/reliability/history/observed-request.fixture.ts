import type { Answer, ApiClient } from '../../e2e/api-client.fixture.js';
import type { AddAttempt, Addition, Outcome } from './history.js';

// All 503s have one code; test/e2e/overload.sqlite.e2e.spec.ts holds the service to these words.
const SHED = /too much to do/;

/** What a client saw of a request, and when. */
export type Observed = Pick<AddAttempt, 'begun' | 'ended' | 'outcome'>;

/** Sends `POST /v1/pets`, exactly as the animal is to be added. */
export function postAddition(client: ApiClient, { name, categoryId, status, idempotencyKey }: Addition): Promise<Answer> {
  const known = status === undefined ? '' : `,"status":"${status}"`;
  const body = `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${known}}`;
  return client.post('/v1/pets', body, idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } });
}

/** @throws what is no failure of the connection, such as an answer that the OpenAPI document does not describe */
export async function observe(send: () => Promise<Answer>): Promise<Observed> {
  const begun = performance.now();
  const outcome = await send().then(outcomeOf, unknownOutcome);
  return { begun, ended: performance.now(), outcome };
}

/** 503 says that the service could not tell, or not do it: the client has to ask again. */
function outcomeOf({ status, text, headers }: Answer): Outcome {
  if (status === 503) return { kind: 'unknown', reason: SHED.test(text) ? 'shed' : '503' };
  return { kind: 'answered', status, text, replayed: headers['idempotency-replayed'] === 'true' };
}

function unknownOutcome(error: unknown): Outcome {
  // Node's own errors are of another realm than the tests', so that instanceof tells nothing.
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string') return { kind: 'unknown', reason: code };
  throw error;
}
