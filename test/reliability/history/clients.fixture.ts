import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { ApiClient, type Answer } from '../../e2e/api-client.fixture.js';
import { random } from '../system/run-form.js';
import type { Addition, History, Outcome, Seen } from './history.js';

// All 503s have one code; test/e2e/overload.sqlite.e2e.spec.ts holds the service to these words.
const SHED = /too much to do/;

/** Where the clients of one run send their requests. */
export interface Traffic {
  readonly origin: string;
  /** Where animals that were acknowledged are read, if that is elsewhere. */
  readonly readOrigin?: string;
  readonly key: string;
  /** What the names of what is made begin with, where there are others. */
  readonly prefix?: string;
}

/** Clients that each do one thing after another, until they are told to stop or the test is over. */
export abstract class Clients {
  protected isAbandoned = false;
  protected readonly client: ApiClient;
  /** Awaited in `stop`. */
  protected readonly running: Promise<unknown>;
  protected stopping = false;

  constructor(
    count: number,
    protected readonly traffic: Traffic,
  ) {
    this.client = new ApiClient(traffic.origin, traffic.key);
    // Begun when the constructors of subclasses are done.
    const begun = Promise.resolve();
    this.running = begun.then(() => Promise.all(Array.from({ length: count }, (_, index) => this.run(index))));
    // Until `stop` a failure must not end the process.
    this.running.catch(() => undefined);
    closeAtEnd(() => this.abandon());
  }

  /** Lets every client finish what it is at, which needs a service that answers. */
  async stop(): Promise<History> {
    this.stopping = true;
    await this.running;
    this.client.close();
    return this.history();
  }

  /** What they have seen. */
  protected abstract history(): History;

  /** Does one thing, under a name that nothing else has. */
  protected abstract step(name: string): Promise<void>;

  protected happens(probability: number): boolean {
    return random() < probability;
  }

  protected oneOf<Item>(items: readonly Item[]): Item {
    return items[Math.floor(random() * items.length)] as Item;
  }

  /** Ends without waiting for answers that may never come. */
  private abandon(): void {
    this.stopping = true;
    this.isAbandoned = true;
    this.client.close();
  }

  private async run(client: number): Promise<void> {
    for (let number = 0; !this.stopping; number += 1) await this.step(`${this.traffic.prefix ?? ''}${client}-${number}`);
  }
}

/** Stops them all; what each of them saw, together. */
export async function stopAll(load: readonly Clients[]): Promise<Required<History>> {
  const histories = await Promise.all(load.map((clients) => clients.stop()));
  return {
    adds: histories.flatMap(({ adds }) => adds),
    reads: histories.flatMap(({ reads = [] }) => reads),
    orders: histories.flatMap(({ orders = [] }) => orders),
    moves: histories.flatMap(({ moves = [] }) => moves),
  };
}

/** Sends `POST /v1/pets`, exactly as the animal is to be added. */
export function postAddition(client: ApiClient, { name, categoryId, status, idempotencyKey }: Addition): Promise<Answer> {
  const known = status === undefined ? '' : `,"status":"${status}"`;
  const body = `{"name":${JSON.stringify(name)},"categoryId":${categoryId}${known}}`;
  return client.post('/v1/pets', body, idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } });
}

/** @throws what is no failure of the connection, such as an answer that the OpenAPI document does not describe */
export async function observe(send: () => Promise<Answer>): Promise<Seen> {
  const begun = performance.now();
  const outcome = await send().then(outcomeOf, unknownOutcome);
  return { begun, ended: performance.now(), outcome };
}

/** Whether a service was there to take the request. */
export function isTold({ outcome }: Seen): boolean {
  return outcome.kind === 'answered' || outcome.reason !== 'ECONNREFUSED';
}

/** Whether a request has no answer, or a 503 but that of shedding: then nothing was asked of the database. */
export function isUnanswered({ outcome }: Seen): boolean {
  return outcome.kind === 'unknown' && !['503', 'shed'].includes(outcome.reason);
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
