import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Redis, type RedisOptions, type Result } from 'ioredis';
import { systemTimers, type Timers } from '#libs/observability';
import { DECISION_SCRIPT, PROBE, type DecisionReply } from './decision.script.js';
import { parseSentinels } from './redis-url.js';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    decideRequest(key: string, ...values: readonly (string | number)[]): Result<DecisionReply, Context>;
  }
}

export interface RedisServer {
  /** `redis://…`, `rediss://…`, or the same with `+sentinel`, the addresses of sentinels and the name of what they watch. */
  readonly url: string;
  /** Prefix of all keys, so that several deployments can share one Redis. */
  readonly keyPrefix: string;
}

// TCP sends a lost packet again before that.
const REPLY_TIMEOUT_MILLISECONDS = 500;
// Looks for a reply are counted, not milliseconds: a process that stood still could not have read it.
const MILLISECONDS_BETWEEN_LOOKS = 50;
const LOOKS_FOR_A_REPLY = REPLY_TIMEOUT_MILLISECONDS / MILLISECONDS_BETWEEN_LOOKS;
const CONNECT_TIMEOUT_MILLISECONDS = 1_000;
const RETRY_MILLISECONDS = 250;

/** The server is a Redis Cluster, in which a script may not reach its keys. */
const IS_CLUSTER = new Error(
  'REDIS_URL is a Redis Cluster, which this service does not use: give it one Redis, or sentinels (redis+sentinel://)',
);

/** A question to Redis, whose reply only counts until it is given up. */
interface Question {
  looks: number;
  readonly giveUp: () => void;
}

/**
 * The connection to Redis, which ioredis restores, and its circuit breaker: once the connection fails or a reply is overdue, nothing waits for
 * Redis until it has run a script on a new connection.
 */
export class RedisLink {
  private readonly logger = new Logger(RedisLink.name);
  private readonly redis: Redis;
  /** Questions without a reply, the oldest first. */
  private readonly pending = new Set<Question>();
  private state: 'opening' | 'up' | 'down' | 'closed' = 'opening';
  private cause: Error | undefined;
  private isLooking = false;
  private onOutcome: () => void = () => undefined;

  constructor(
    private readonly server: RedisServer,
    private readonly timers: Timers = systemTimers,
    create: typeof createRedis = createRedis,
  ) {
    this.redis = create(server);
    this.redis.on('connect', () => (this.cause = undefined));
    this.redis.on('error', (error: Error) => (this.cause = toReason(error)));
    this.redis.on('ready', () => void this.probe());
    this.redis.on('close', () => this.goDown(this.cause ?? new Error('the connection was closed')));
  }

  get isUp(): boolean {
    return this.state === 'up';
  }

  /** Connects, or resolves without a connection after a second at most. @throws Error for a Redis Cluster */
  async open(): Promise<void> {
    const outcome = new Promise<void>((resolve) => (this.onOutcome = resolve));
    this.redis.connect().catch(() => undefined);
    await this.timers.within(outcome, CONNECT_TIMEOUT_MILLISECONDS);
    if (this.state === 'opening') this.goDown(this.cause ?? new Error(`no answer within ${CONNECT_TIMEOUT_MILLISECONDS} ms`));
    if (this.cause !== IS_CLUSTER) return;
    this.close();
    throw IS_CLUSTER;
  }

  close(): void {
    this.state = 'closed';
    this.redis.disconnect();
    this.giveUpAll();
  }

  /**
   * Returns what `accept` makes of the reply to `send`, or, if that fails or takes too long, what `alone` returns; at once while Redis is away.
   * Of one question only one of both is called. Redis may have counted a request whose reply is given up.
   */
  ask<Reply, Result, Own extends Result = Result>(
    send: (redis: Redis) => Promise<Reply>,
    accept: (reply: Reply) => Result,
    alone: () => Own,
  ): Own | Promise<Result> {
    if (!this.isUp) return alone();
    return new Promise((resolve) => {
      const question = { looks: 0, giveUp: () => resolve(alone()) };
      this.pending.add(question);
      if (!this.isLooking) void this.look();
      writeTogether(this.redis);
      send(this.redis).then(
        (reply) => this.pending.delete(question) && resolve(accept(reply)),
        (error: unknown) => this.pending.has(question) && this.lose(error),
      );
    });
  }

  /** Looks for replies as long as any is missing, with one timer for all questions. */
  private async look(): Promise<void> {
    this.isLooking = true;
    while (this.pending.size > 0) {
      await this.timers.sleep(MILLISECONDS_BETWEEN_LOOKS);
      // After a long turn of the event loop a reply may have arrived but not been read yet.
      await nextTurn();
      for (const question of this.pending) question.looks += 1;
      const [oldest] = this.pending;
      if (oldest && oldest.looks > LOOKS_FOR_A_REPLY) this.lose(new Error(`no reply within ${REPLY_TIMEOUT_MILLISECONDS} ms`));
    }
    this.isLooking = false;
  }

  /** Runs the script on a new connection, as a read-only server is of no use. */
  private async probe(): Promise<void> {
    const probing = this.runProbe();
    const outcome = await this.timers.within(probing, CONNECT_TIMEOUT_MILLISECONDS);
    if (outcome === 'fulfilled' && this.redis.status === 'ready') this.goUp();
    else if (outcome !== 'rejected') this.lose(new Error(`no answer within ${CONNECT_TIMEOUT_MILLISECONDS} ms`));
    else await probing.catch((error: unknown) => this.lose(error));
  }

  private async runProbe(): Promise<void> {
    // A user without the right to ask gets an error, which says nothing about clusters.
    if ((await this.redis.info('cluster').catch(() => '')).includes('cluster_enabled:1')) throw IS_CLUSTER;
    await this.redis.decideRequest(`${this.server.keyPrefix}probe`, ...PROBE);
    // A database number that does not exist is reported by an event only.
    if (this.cause) throw this.cause;
  }

  private goUp(): void {
    if (this.state === 'closed') return;
    if (this.state === 'down') this.logger.warn('Redis answers again: requests are counted by all instances together.');
    this.state = 'up';
    this.onOutcome();
  }

  private goDown(cause: unknown): void {
    if (this.state === 'closed') return;
    if (this.state !== 'down') {
      this.logger.error(`Redis does not answer, so this instance counts requests by itself until it does: ${String(cause)}`);
    }
    this.state = 'down';
    this.onOutcome();
    this.giveUpAll();
  }

  /** Gives up a connection; ioredis makes the next one. */
  private lose(cause: unknown): void {
    this.cause = toReason(cause);
    this.goDown(this.cause);
    if (this.redis.status === 'ready') this.redis.disconnect(true);
  }

  private giveUpAll(): void {
    const unanswered = [...this.pending];
    this.pending.clear();
    for (const { giveUp } of unanswered) giveUp();
  }
}

/** Sends the commands of one turn of the event loop in one write, which costs more than everything else about a command. */
function writeTogether({ stream }: Redis): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  setImmediate(() => stream.uncork());
}

/** Creates a client that connects on demand and then again after each loss. A command without a reply is rejected, and never sent again. */
export function createRedis({ url }: RedisServer): Redis {
  const options: RedisOptions = {
    ...{ lazyConnect: true, enableOfflineQueue: false, autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 0 },
    // The link probes each new connection itself, and waits for no reply of a server that has stopped.
    ...{ enableReadyCheck: false, disableClientInfo: true },
    ...{ connectTimeout: CONNECT_TIMEOUT_MILLISECONDS, disconnectTimeout: 0, retryStrategy: () => RETRY_MILLISECONDS },
    scripts: { decideRequest: { lua: DECISION_SCRIPT, numberOfKeys: 1 } },
  };
  const sentinels = parseSentinels(url);
  if (!sentinels) return new Redis(url, options);
  const waits = { sentinelCommandTimeout: CONNECT_TIMEOUT_MILLISECONDS, sentinelRetryStrategy: () => RETRY_MILLISECONDS };
  return new Redis({ ...sentinels, ...waits, ...options });
}

/** A host with several addresses fails with an error that has a code but no message. */
function toReason(error: unknown): Error {
  if (!(error instanceof Error) || error.message !== '') return error instanceof Error ? error : new Error(String(error));
  return new Error((error as NodeJS.ErrnoException).code ?? error.name, { cause: error });
}
