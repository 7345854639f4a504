import { Logger } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { CircuitBreaker } from '#libs/observability';
import { connectRedis, RedisClusterError, type RedisServer } from './connect-redis.js';

const REPLY_TIMEOUT_MILLISECONDS = 300;
// TCP sends a lost packet again as soon as one behind it arrives; with nothing behind it, later than this link waits (docs/adr/0036).
const NUDGE_MILLISECONDS = 60;
const CONNECT_TIMEOUT_MILLISECONDS = 1_000;
const PROBE_PAUSE_MILLISECONDS = 250;
const PROBE_TIMEOUT_MILLISECONDS = 2_500;

interface Question {
  /** By `performance.now()`. */
  readonly askedAt: number;
  /** Resolves without Redis. */
  readonly giveUp: () => void;
}

/** The connection to Redis. Once it fails or a reply is overdue, nothing waits for it until an attempt in the background succeeds. */
export class RedisLink {
  private readonly logger = new Logger(RedisLink.name);
  private readonly breaker = new CircuitBreaker({
    probe: () => this.connect(),
    pause: PROBE_PAUSE_MILLISECONDS,
    patience: PROBE_TIMEOUT_MILLISECONDS,
    onOpen: (cause) => this.logger.error(`Redis does not answer, so this instance counts requests alone until it does: ${String(cause)}`),
    onClose: () => this.logger.warn('Redis answers again: requests are counted by all instances together.'),
  });
  /** Questions without a reply, the oldest first. */
  private readonly pending = new Set<Question>();
  private redis: Redis | undefined;
  private overdueCheck: NodeJS.Timeout | undefined;
  private isClosed = false;

  /** @param onConnect prepares a new connection; if it rejects, the connection is tried again */
  constructor(
    private readonly server: RedisServer,
    private readonly onConnect: (redis: Redis) => Promise<void> = () => Promise.resolve(),
  ) {}

  get isUp(): boolean {
    return this.redis !== undefined;
  }

  /** Connects, or resolves without a connection after a second at most. @throws RedisClusterError for a Redis Cluster */
  async open(): Promise<void> {
    try {
      await this.connect();
    } catch (error) {
      if (error instanceof RedisClusterError) throw error;
      this.breaker.open(error);
    }
  }

  close(): void {
    this.isClosed = true;
    this.breaker.end();
    clearTimeout(this.overdueCheck);
    this.redis?.disconnect();
  }

  /** Returns what `shared` gets from Redis or, if that fails or takes too long, what `alone` returns; at once while Redis is away. */
  ask<Reply, Own extends Reply = Reply>(shared: (redis: Redis) => Promise<Reply>, alone: () => Own): Own | Promise<Reply> {
    const { redis } = this;
    if (!redis) return alone();
    return new Promise((resolve) => {
      const question = { askedAt: performance.now(), giveUp: () => resolve(alone()) };
      this.pending.add(question);
      this.overdueCheck ??= this.checkAfter(NUDGE_MILLISECONDS);
      writeTogether(redis);
      shared(redis).then(
        (reply) => {
          this.pending.delete(question);
          resolve(reply);
        },
        (error: unknown) => this.lose(redis, error),
      );
    });
  }

  /** Sets the one timer for all questions, which looks at the oldest. */
  private checkAfter(milliseconds: number): NodeJS.Timeout {
    // After a long turn of the event loop a reply may have arrived but not been read yet.
    return setTimeout(() => setImmediate(() => this.checkOverdue()), milliseconds);
  }

  private checkOverdue(): void {
    this.overdueCheck = undefined;
    const [oldest] = this.pending;
    if (!oldest || !this.redis) return;
    const waited = performance.now() - oldest.askedAt;
    if (waited >= REPLY_TIMEOUT_MILLISECONDS) {
      this.lose(this.redis, new Error(`no reply within ${REPLY_TIMEOUT_MILLISECONDS} ms`));
      return;
    }
    if (waited >= NUDGE_MILLISECONDS) this.redis.ping().catch(() => undefined);
    const untilNudge = waited < NUDGE_MILLISECONDS ? NUDGE_MILLISECONDS - waited : NUDGE_MILLISECONDS;
    this.overdueCheck = this.checkAfter(Math.min(untilNudge, REPLY_TIMEOUT_MILLISECONDS - waited));
  }

  private lose(redis: Redis, cause: unknown): void {
    if (this.redis !== redis) return;
    this.redis = undefined;
    redis.disconnect();
    if (!this.isClosed) this.breaker.open(cause);
    const unanswered = [...this.pending];
    this.pending.clear();
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

/** Sends the commands of one turn of the event loop in one write, which costs more than everything else about a command. */
function writeTogether({ stream }: Redis): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}
