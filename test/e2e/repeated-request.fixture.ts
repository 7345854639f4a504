import { EventStore, ReadModels, type Projection } from '#libs/event-sourcing';
import { ApplicationError } from '#libs/observability';
import type { Answer } from './api-client.fixture.js';
import type { Service } from './service.fixture.js';

// Less than idempotency keys are kept.
const LATER_MILLISECONDS = 12 * 3_600_000;
/** By which a caller is recognised before its request is. */
const KEYS = 'api-keys';
const STREAM_READS = ['readState', 'readHistories'] as const;

/**
 * Sends a request twice. The second time it is twelve hours later, and every read of streams and read models is refused with 409, as if
 * nothing were as it was: only what is stored with an `Idempotency-Key` can answer it. A handler that reads or decides before it calls
 * `EventStore.execute` does not.
 */
export async function repeatWithoutReads(
  { app, clock }: Pick<Service, 'app' | 'clock'>,
  send: () => Promise<Answer>,
): Promise<{ readonly first: Answer; readonly again: Answer }> {
  const first = await send();
  const [store, readModels, now] = [app.get(EventStore), app.get(ReadModels), clock.now()];
  const current = readModels.current.bind(readModels);
  readModels.current = (projection: Projection) =>
    projection.name === KEYS ? current(projection) : refuse(`The read model ${projection.name}`);
  for (const name of STREAM_READS) store[name] = () => refuse('A stream');
  clock.advance(LATER_MILLISECONDS);
  try {
    return { first, again: await send() };
  } finally {
    clock.set(now);
    // The methods of the class are there again.
    Reflect.deleteProperty(readModels, 'current');
    for (const name of STREAM_READS) Reflect.deleteProperty(store, name);
  }
}

/** Refuses as a rule would. Within `execute` that is without effect for a key that is stored. */
async function refuse(read: string): Promise<never> {
  throw new ApplicationError('conflict', `${read} was read before EventStore.execute had looked for the Idempotency-Key.`);
}
