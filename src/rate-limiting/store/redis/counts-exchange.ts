import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { settledWithin } from '#libs/clock';
import type { KeyCounts } from '../../domain/decision.js';
import type { InProcessLimiterStore } from '../in-process-limiter.store.js';
import type { RedisLink } from './redis-link.js';

const PATIENCE_MILLISECONDS = 150;
// A connection on which nothing is sent for long may be dropped on the way without a word.
const LISTENER = { keepAlive: 10_000, connectTimeout: 1_000, commandTimeout: 1_000 };

export interface CountsExchangeOptions {
  readonly keyPrefix: string;
  readonly store: InProcessLimiterStore;
  /** What the database has of a key. */
  readonly stored: (keyId: bigint) => Promise<KeyCounts | undefined>;
}

/** Tells the instances from each other what they know of a key that Redis has no counts of: they may have been lost. */
export class CountsExchange {
  private readonly id = randomUUID();
  private readonly gathering = new Map<bigint, Promise<void>>();
  private readonly open = new Map<bigint, AnswerCount>();

  constructor(private readonly options: CountsExchangeOptions) {}

  /** Listens for questions on a second connection; each of the two ends with the other. */
  async listen(redis: Redis): Promise<void> {
    const listener = redis.duplicate(LISTENER);
    listener.on('error', () => undefined);
    redis.once('close', () => listener.disconnect());
    listener.on('message', (channel, message) => {
      if (channel === this.questions) this.answer(redis, message).catch(() => undefined);
      else this.take(message);
    });
    await listener.connect();
    listener.once('close', () => redis.disconnect());
    await listener.subscribe(this.questions, this.answersTo(this.id));
  }

  /** Resolves when the store has what the other instances and the database know of a key; those that keep silent are not waited for long. */
  gather(link: RedisLink, keyId: bigint): Promise<void> {
    let gathering = this.gathering.get(keyId);
    if (!gathering) {
      gathering = this.ask(link, keyId).finally(() => this.gathering.delete(keyId));
      this.gathering.set(keyId, gathering);
    }
    return gathering;
  }

  private async ask(link: RedisLink, keyId: bigint): Promise<void> {
    const { store, stored } = this.options;
    const answers = new AnswerCount();
    this.open.set(keyId, answers);
    const listeners = await link.ask(
      (redis) => redis.publish(this.questions, `${this.id} ${keyId}`),
      () => 1,
    );
    // This instance is one of them.
    answers.expect(listeners - 1);
    const reading = stored(keyId).then((counts) => counts && store.learn(keyId, counts));
    await settledWithin(Promise.all([answers.complete, reading]), PATIENCE_MILLISECONDS);
    this.open.delete(keyId);
  }

  private async answer(redis: Redis, message: string): Promise<void> {
    const [asker = '', keyId = ''] = message.split(' ');
    if (asker === this.id) return;
    // What Redis decided for this instance before the question has arrived by then, and is noted.
    await redis.ping();
    await nextTurn();
    const counts = this.options.store.peek({ keyId: BigInt(keyId) });
    await redis.publish(this.answersTo(asker), JSON.stringify({ keyId, counts }));
  }

  private take(message: string): void {
    const { keyId, counts } = JSON.parse(message) as { readonly keyId: string; readonly counts?: KeyCounts };
    if (counts) this.options.store.learn(BigInt(keyId), counts);
    this.open.get(BigInt(keyId))?.add();
  }

  private get questions(): string {
    return `${this.options.keyPrefix}questions`;
  }

  private answersTo(id: string): string {
    return `${this.options.keyPrefix}answers:${id}`;
  }
}

/** Counts the answers to a question. The first may come before it is known how many will. */
class AnswerCount {
  readonly complete: Promise<void>;
  private settle: () => void = () => undefined;
  private expected = Infinity;
  private count = 0;

  constructor() {
    this.complete = new Promise((resolve) => (this.settle = resolve));
  }

  expect(count: number): void {
    this.expected = count;
    if (this.count >= count) this.settle();
  }

  add(): void {
    this.count += 1;
    if (this.count >= this.expected) this.settle();
  }
}
