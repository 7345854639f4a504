import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { LimiterStatus, type Counting } from '../limiter.store.js';
import { connectRedis, type RedisServer } from './connect-redis.js';

const ANSWER_TIMEOUT_MILLISECONDS = 250;
const CONNECT_TIMEOUT_MILLISECONDS = 1_000;
const PROBE_PAUSE_MILLISECONDS = 250;

interface Question {
  /** By the clock of `performance.now()`. */
  readonly askedAt: number;
  /** Answers without Redis. */
  readonly giveUp: () => void;
}

/**
 * The connection to Redis. Once it has failed or one answer is overdue, nobody waits for it any more, until an attempt in
 * the background finds it back.
 */
export class RedisLink extends LimiterStatus implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(RedisLink.name);
  /** In the order in which they were asked. */
  private readonly open = new Set<Question>();
  private redis: Redis | undefined;
  private overdueCheck: NodeJS.Timeout | undefined;
  private probe: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly server: RedisServer) {
    super();
  }

  get counting(): Counting {
    return this.redis ? 'shared' : 'alone';
  }

  /** The service starts without Redis too. */
  async onApplicationBootstrap(): Promise<void> {
    try {
      await this.connect();
    } catch (error) {
      this.sayAlone(error);
      this.scheduleProbe();
    }
  }

  onApplicationShutdown(): void {
    this.isClosed = true;
    clearTimeout(this.probe);
    clearTimeout(this.overdueCheck);
    this.redis?.disconnect();
  }

  /** What `shared` makes of Redis' answer or, where there is none in time, of this instance's own counts: then `alone`, at once. */
  ask<Answer>(shared: (redis: Redis) => Promise<Answer>, alone: () => Answer): Answer | Promise<Answer> {
    const { redis } = this;
    if (!redis) return alone();
    return new Promise((resolve) => {
      const question = { askedAt: performance.now(), giveUp: () => resolve(alone()) };
      this.open.add(question);
      this.overdueCheck ??= this.checkAfter(ANSWER_TIMEOUT_MILLISECONDS);
      writeTogether(redis);
      shared(redis).then(
        (answer) => {
          this.open.delete(question);
          resolve(answer);
        },
        (error: unknown) => this.lose(redis, error),
      );
    });
  }

  /** One timer for all questions: it looks at the oldest. */
  private checkAfter(milliseconds: number): NodeJS.Timeout {
    // After a long turn of the event loop an answer may have arrived and only not been read yet.
    return setTimeout(() => setImmediate(() => this.checkOverdue()), milliseconds);
  }

  private checkOverdue(): void {
    this.overdueCheck = undefined;
    const [oldest] = this.open;
    if (!oldest || !this.redis) return;
    const left = oldest.askedAt + ANSWER_TIMEOUT_MILLISECONDS - performance.now();
    if (left > 0) this.overdueCheck = this.checkAfter(left);
    else this.lose(this.redis, new Error(`no answer within ${ANSWER_TIMEOUT_MILLISECONDS} ms`));
  }

  private lose(redis: Redis, cause: unknown): void {
    if (this.redis !== redis) return;
    this.redis = undefined;
    redis.disconnect();
    if (!this.isClosed) {
      this.sayAlone(cause);
      this.scheduleProbe();
    }
    const unanswered = [...this.open];
    this.open.clear();
    for (const { giveUp } of unanswered) giveUp();
  }

  private async connect(): Promise<void> {
    const redis = await connectRedis(this.server, CONNECT_TIMEOUT_MILLISECONDS);
    if (this.isClosed) {
      redis.disconnect();
      return;
    }
    this.redis = redis;
    redis.once('close', () => this.lose(redis, new Error('the connection was closed')));
  }

  private scheduleProbe(): void {
    this.probe = setTimeout(() => {
      this.connect().then(
        () => this.logger.warn('Redis answers again: requests are counted by all instances together.'),
        () => {
          if (!this.isClosed) this.scheduleProbe();
        },
      );
    }, PROBE_PAUSE_MILLISECONDS).unref();
  }

  private sayAlone(cause: unknown): void {
    this.logger.error(`Redis does not answer, so this instance counts requests alone until it does: ${String(cause)}`);
  }
}

/** The commands of one turn of the event loop leave in one write, which costs more than everything else about a command. */
function writeTogether({ stream }: Redis): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
