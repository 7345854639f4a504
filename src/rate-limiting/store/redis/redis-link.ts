import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CircuitBreaker } from '#libs/resilience';
import { LimiterStatus, type Counting } from '../limiter.store.js';
import { connectRedis, RedisClusterError, type RedisServer } from './connect-redis.js';

const ANSWER_TIMEOUT_MILLISECONDS = 300;
// A packet that got lost is sent again as soon as one behind it has arrived; with nothing behind it TCP waits for longer than this link does.
const NUDGE_MILLISECONDS = 60;
const CONNECT_TIMEOUT_MILLISECONDS = 1_000;
const PROBE_PAUSE_MILLISECONDS = 250;
const PROBE_PATIENCE_MILLISECONDS = 2_500;

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
  private readonly breaker = new CircuitBreaker({
    probe: () => this.connect(),
    pause: PROBE_PAUSE_MILLISECONDS,
    patience: PROBE_PATIENCE_MILLISECONDS,
    onOpen: (cause) => this.logger.error(`Redis does not answer, so this instance counts requests alone until it does: ${String(cause)}`),
    onClose: () => this.logger.warn('Redis answers again: requests are counted by all instances together.'),
  });
  /** In the order in which they were asked. */
  private readonly open = new Set<Question>();
  private redis: Redis | undefined;
  private overdueCheck: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** @param onConnect what has to be done on a new connection before it is used; it is tried again where that rejects */
  constructor(
    private readonly server: RedisServer,
    private readonly onConnect: (redis: Redis) => Promise<void> = () => Promise.resolve(),
  ) {
    super();
  }

  get counting(): Counting {
    return this.redis ? 'shared' : 'alone';
  }

  /** The service starts without Redis too. @throws RedisClusterError for what it can never count in */
  async onApplicationBootstrap(): Promise<void> {
    try {
      await this.connect();
    } catch (error) {
      if (error instanceof RedisClusterError) throw error;
      this.breaker.open(error);
    }
  }

  onApplicationShutdown(): void {
    this.isClosed = true;
    this.breaker.end();
    clearTimeout(this.overdueCheck);
    this.redis?.disconnect();
  }

  /** What `shared` makes of Redis' answer or, where there is none in time, of this instance's own counts: then `alone`, at once. */
  ask<Answer, Own extends Answer = Answer>(shared: (redis: Redis) => Promise<Answer>, alone: () => Own): Own | Promise<Answer> {
    const { redis } = this;
    if (!redis) return alone();
    return new Promise((resolve) => {
      const question = { askedAt: performance.now(), giveUp: () => resolve(alone()) };
      this.open.add(question);
      this.overdueCheck ??= this.checkAfter(NUDGE_MILLISECONDS);
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
    const waited = performance.now() - oldest.askedAt;
    if (waited >= ANSWER_TIMEOUT_MILLISECONDS) {
      this.lose(this.redis, new Error(`no answer within ${ANSWER_TIMEOUT_MILLISECONDS} ms`));
      return;
    }
    if (waited >= NUDGE_MILLISECONDS) nudge(this.redis);
    const untilNudge = waited < NUDGE_MILLISECONDS ? NUDGE_MILLISECONDS - waited : NUDGE_MILLISECONDS;
    this.overdueCheck = this.checkAfter(Math.min(untilNudge, ANSWER_TIMEOUT_MILLISECONDS - waited));
  }

  private lose(redis: Redis, cause: unknown): void {
    if (this.redis !== redis) return;
    this.redis = undefined;
    redis.disconnect();
    if (!this.isClosed) this.breaker.open(cause);
    const unanswered = [...this.open];
    this.open.clear();
    for (const { giveUp } of unanswered) giveUp();
  }

  private async connect(): Promise<void> {
    const redis = await connectRedis(this.server, CONNECT_TIMEOUT_MILLISECONDS);
    try {
      await this.onConnect(redis);
    } catch (error) {
      redis.disconnect();
      throw error;
    }
    if (this.isClosed) {
      redis.disconnect();
      return;
    }
    this.redis = redis;
    redis.once('close', () => this.lose(redis, new Error('the connection was closed')));
    this.breaker.close();
  }
}

/** Sends something small, whose answer tells nothing, behind a question whose packet may have got lost, or that of its answer. */
function nudge(redis: Redis): void {
  redis.ping().catch(() => undefined);
}

/** The commands of one turn of the event loop leave in one write, which costs more than everything else about a command. */
function writeTogether({ stream }: Redis): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
