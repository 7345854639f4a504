import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { until } from '#libs/testing';
import { ApiClient, type Answer } from '../../e2e/api-client.fixture.js';
import { Clients, isTold, observe, postAddition, type Traffic } from './clients.fixture.js';
import { idIn, type Addition, type Attempt, type History, type Outcome, type ReadAttempt, type Seen } from './history.js';

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

/** Clients that add and read animals, and the history of what they saw. */
export class RecordingClients extends Clients {
  /** How many animals have been acknowledged so far. */
  acknowledged = 0;
  /** How many requests have been answered with 503, but for those that were shed. */
  unavailable = 0;
  /** The last of those answers. */
  lastUnavailable: Answer | undefined;
  private readonly adds: Attempt<Addition>[] = [];
  private readonly reads: ReadAttempt[] = [];
  private readonly reader: ApiClient;
  private isOver = false;

  constructor(count: number, traffic: Traffic) {
    super(count, traffic);
    this.reader = traffic.readOrigin === undefined ? this.client : new ApiClient(traffic.readOrigin, traffic.key);
    const end = () => {
      this.isOver = true;
      this.reader.close();
    };
    this.running.then(end, end);
  }

  /** Resolves when so many more have been acknowledged. @throws Error when for a minute none is, or a client has failed. */
  async acknowledgeMore(count: number): Promise<void> {
    for (let enough = this.acknowledged + count; this.acknowledged < enough;) {
      const before = this.acknowledged;
      await until(() => this.acknowledged > before || this.isOver);
      if (!this.isOver) continue;
      // It tells what a client has failed with.
      await this.running;
      throw new Error('The clients have been stopped.');
    }
  }

  protected history(): History {
    return { adds: this.adds, reads: this.reads };
  }

  protected async step(name: string): Promise<void> {
    const addition = this.draw(name);
    const text = await this.add(addition);
    if (text !== undefined) await this.lookAgain(addition, text);
  }

  /** Sends it until the outcome is known, where that adds it only once, or at times gives up before. Returns the body of the acknowledgement. */
  private async add(addition: Addition): Promise<string | undefined> {
    while (!this.isAbandoned) {
      const outcome = await this.attempt(addition);
      if (outcome.kind === 'answered' && outcome.status === 201) {
        this.acknowledged += 1;
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

  private async attempt(sent: Addition): Promise<Outcome> {
    const seen = await this.observe(() => postAddition(this.client, sent));
    if (isTold(seen)) this.adds.push({ sent, ...seen });
    return seen.outcome;
  }

  private async observe(send: () => Promise<Answer>): Promise<Seen> {
    let answer: Answer | undefined;
    const seen = await observe(async () => (answer = await send()));
    if (seen.outcome.kind === 'unknown' && seen.outcome.reason === '503') {
      this.unavailable += 1;
      this.lastUnavailable = answer;
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
}
