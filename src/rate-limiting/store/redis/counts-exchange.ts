import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Timers } from '#libs/observability';
import type { Counts } from '../../domain/decision.js';
import type { InProcessLimiterStore } from '../in-process-limiter.store.js';
import type { RedisLink } from './redis-link.js';

const TIMEOUT_MILLISECONDS = 150;
// An idle connection may be dropped on the way without notice.
const LISTENER = { keepAlive: 10_000, connectTimeout: 1_000, commandTimeout: 1_000 };

interface Answer {
  readonly keyId: string;
  readonly counts?: Counts | undefined;
}

/** A question that other instances answer; the first answer may come before Redis has said how many instances it reached. */
interface Asking {
  missing: number;
  isSent: boolean;
  finish: () => void;
}

/** Asks the other instances for their counts of a key that Redis has no counts of, and answers such questions. */
export class CountsExchange {
  private readonly id = randomUUID();
  private readonly gathering = new Map<bigint, Promise<void>>();
  private readonly asking = new Map<bigint, Asking>();

  /** @param load loads the counts of a key from the database */
  constructor(
    private readonly keyPrefix: string,
    private readonly store: InProcessLimiterStore,
    private readonly load: (keyId: bigint) => Promise<Counts | undefined>,
    private readonly timers: Timers,
  ) {}

  /** Listens for questions on a second connection; each of the two ends with the other. */
  async listen(redis: Redis): Promise<void> {
    const listener = redis.duplicate(LISTENER);
    listener.on('error', () => undefined);
    redis.once('close', () => listener.disconnect());
    listener.on('message', (channel, message) => {
      if (channel === this.questions) this.answer(redis, message).catch(() => undefined);
      else this.receive(message);
    });
    await listener.connect();
    listener.once('close', () => redis.disconnect());
    await listener.subscribe(this.questions, this.answersTo(this.id));
  }

  /** Resolves when the store has the counts of the other instances and the database, or after 150 ms. */
  gather(link: RedisLink, keyId: bigint): Promise<void> {
    let gathering = this.gathering.get(keyId);
    if (!gathering) {
      gathering = this.ask(link, keyId).finally(() => this.gathering.delete(keyId));
      this.gathering.set(keyId, gathering);
    }
    return gathering;
  }

  private async ask(link: RedisLink, keyId: bigint): Promise<void> {
    const asking: Asking = { missing: 0, isSent: false, finish: () => undefined };
    const complete = new Promise<void>((resolve) => (asking.finish = resolve));
    this.asking.set(keyId, asking);
    const listeners = await link.ask(
      (redis) => redis.publish(this.questions, `${this.id} ${keyId}`),
      () => 1,
    );
    asking.isSent = true;
    // This instance is one of them.
    expectAnswers(asking, listeners - 1);
    const loading = this.load(keyId).then((counts) => counts && this.store.merge([[keyId, counts]]));
    await this.timers.within(Promise.all([complete, loading]), TIMEOUT_MILLISECONDS);
    this.asking.delete(keyId);
  }

  private async answer(redis: Redis, message: string): Promise<void> {
    const [asker = '', keyId = ''] = message.split(' ');
    if (asker === this.id) return;
    // After this, all that Redis decided for this instance before the question has arrived and is in the store.
    await redis.ping();
    await nextTurn();
    const answer: Answer = { keyId, counts: this.store.peekKey(BigInt(keyId)) };
    await redis.publish(this.answersTo(asker), JSON.stringify(answer));
  }

  private receive(message: string): void {
    const { keyId, counts } = JSON.parse(message) as Answer;
    if (counts) this.store.merge([[BigInt(keyId), counts]]);
    const asking = this.asking.get(BigInt(keyId));
    if (asking) expectAnswers(asking, -1);
  }

  private get questions(): string {
    return `${this.keyPrefix}questions`;
  }

  private answersTo(id: string): string {
    return `${this.keyPrefix}answers:${id}`;
  }
}

function expectAnswers(asking: Asking, count: number): void {
  asking.missing += count;
  if (asking.isSent && asking.missing <= 0) asking.finish();
}
