import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '#libs/testing';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { ApiClient, type Answer } from '../../e2e/api-client.fixture.js';
import { idIn, type AddAttempt, type Addition, type History, type Outcome, type ReadAttempt } from './history.js';
import { observe, postAddition, type Observed } from './observed-request.fixture.js';

const CATEGORIES = ['0', '7', '-1', '9223372036854775807', '-9223372036854775808', '9007199254740993'];
const STATUSES = ['available', 'pending', 'sold', undefined];
const DECORATIONS = [
  '',
  'Zoë',
  '猫 🐈‍⬛',
  'مرحبا',
  '"quoted" \\ back',
  'line\nbreak\ttab',
  '\u2028',
  '<b>&amp;',
  "'; DROP TABLE pets; --",
  'ﬀ'.repeat(50),
];
const RETRY_MILLISECONDS = 10;

/** What the clients of one run have in common. */
export interface Traffic {
  readonly origin: string;
  /** Where animals that were acknowledged are read, if that is elsewhere. */
  readonly readOrigin?: string;
  readonly key: string;
  /** What the names of its animals begin with, where there are others. */
  readonly prefix?: string;
  /** Draws a number from 0 to 1, below 1. */
  readonly random: () => number;
}

/** Clients that add and read animals until they are told to stop or the test is over, and the history of what they saw. */
export class RecordingClients {
  private readonly adds: AddAttempt[] = [];
  private readonly reads: ReadAttempt[] = [];
  private readonly client: ApiClient;
  private readonly reader: ApiClient;
  private readonly running: Promise<unknown>;
  private stopping = false;
  private isAbandoned = false;
  private isOver = false;
  private acknowledgements = 0;
  private refusals = 0;
  private refusal: Answer | undefined;

  constructor(
    count: number,
    private readonly traffic: Traffic,
  ) {
    this.client = new ApiClient(traffic.origin, traffic.key);
    this.reader = new ApiClient(traffic.readOrigin ?? traffic.origin, traffic.key);
    const running = Promise.all(Array.from({ length: count }, (_, index) => this.run(index)));
    this.running = running.finally(() => (this.isOver = true));
    // Awaited in stop; until then a failure must not end the process.
    this.running.catch(() => undefined);
    closeAtEnd(() => this.abandon());
  }

  /** How many animals have been acknowledged so far. */
  get acknowledged(): number {
    return this.acknowledgements;
  }

  /** How many requests have been answered with 503, but for those that were shed. */
  get unavailable(): number {
    return this.refusals;
  }

  /** The last of those answers. */
  get lastUnavailable(): Answer | undefined {
    return this.refusal;
  }

  /** Resolves when so many more have been acknowledged. @throws Error when for a minute none is, or a client has failed. */
  async acknowledgeMore(count: number): Promise<void> {
    for (let enough = this.acknowledgements + count; this.acknowledgements < enough;) {
      const before = this.acknowledgements;
      await until(() => this.acknowledgements > before || this.isOver);
      if (this.isOver) await this.tellWhyOver();
    }
  }

  /** Lets every client finish what it is at, which needs a service that answers. */
  async stop(): Promise<History> {
    this.stopping = true;
    await this.running;
    this.client.close();
    this.reader.close();
    return { adds: this.adds, reads: this.reads };
  }

  /** Ends without waiting for answers that may never come. */
  private abandon(): void {
    this.stopping = true;
    this.isAbandoned = true;
    this.client.close();
    this.reader.close();
  }

  /** @throws what a client has failed with */
  private async tellWhyOver(): Promise<never> {
    await this.running;
    throw new Error('The clients have been stopped.');
  }

  private async run(client: number): Promise<void> {
    for (let number = 0; !this.stopping; number += 1) {
      const addition = this.draw(`${this.traffic.prefix ?? ''}${client}-${number}`);
      const text = await this.add(addition);
      if (text !== undefined) await this.lookAgain(addition, text);
    }
  }

  /** Sends it until the outcome is known, where that adds it only once, or at times gives up before. Returns the body of the acknowledgement. */
  private async add(addition: Addition): Promise<string | undefined> {
    while (!this.isAbandoned) {
      const outcome = await this.attempt(addition);
      if (outcome.kind === 'answered' && outcome.status === 201) {
        this.acknowledgements += 1;
        return outcome.text;
      }
      if (outcome.kind === 'answered' && outcome.status !== 409) return undefined;
      if (addition.idempotencyKey === undefined || this.happens(0.1)) return undefined;
      await delay(RETRY_MILLISECONDS);
    }
    return undefined;
  }

  /** Repeats some requests, uses some keys for something else, and reads some animals back. */
  private async lookAgain(addition: Addition, text: string): Promise<void> {
    const isKeyed = addition.idempotencyKey !== undefined;
    if (isKeyed && this.happens(0.2)) await this.attempt(addition);
    if (isKeyed && this.happens(0.1)) await this.attempt({ ...addition, name: `${addition.name} with the key of another`, valid: false });
    if (this.happens(0.5)) {
      const id = idIn(text) ?? '0';
      const { outcome } = await this.observe(() => this.reader.get(`/v1/pets/${id}`));
      this.reads.push({ id, expected: text, outcome });
    }
  }

  private async attempt(addition: Addition): Promise<Outcome> {
    const seen = await this.observe(() => postAddition(this.client, addition));
    // What no service was there to take says nothing.
    if (seen.outcome.kind === 'answered' || seen.outcome.reason !== 'ECONNREFUSED') this.adds.push({ addition, ...seen });
    return seen.outcome;
  }

  private async observe(send: () => Promise<Answer>): Promise<Observed> {
    let answer: Answer | undefined;
    const seen = await observe(async () => (answer = await send()));
    if (answer?.status === 503 && seen.outcome.kind === 'unknown' && seen.outcome.reason !== 'shed') {
      this.refusals += 1;
      this.refusal = answer;
    }
    return seen;
  }

  private draw(name: string): Addition {
    const valid = !this.happens(0.05);
    const status = this.oneOf(STATUSES);
    return {
      name: `${name} ${this.oneOf(DECORATIONS)}`,
      categoryId: valid ? this.oneOf(CATEGORIES) : '"seven"',
      ...(status !== undefined && { status }),
      ...(this.happens(0.8) && { idempotencyKey: randomUUID() }),
      valid,
    };
  }

  private happens(probability: number): boolean {
    return this.traffic.random() < probability;
  }

  private oneOf<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.traffic.random() * items.length)] as Item;
  }
}

/** Stops them all; what each of them saw, together. */
export async function stopAll(load: readonly RecordingClients[]): Promise<History> {
  const histories = await Promise.all(load.map((clients) => clients.stop()));
  return { adds: histories.flatMap(({ adds }) => adds), reads: histories.flatMap(({ reads }) => reads) };
}
