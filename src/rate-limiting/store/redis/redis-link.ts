import { setImmediate as nextTurn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { Redis, type RedisOptions, type Result } from 'ioredis';
import { CircuitBreaker, systemTimers, type Timers } from '#libs/observability';
import { ACTIONS, DECISION_SCRIPT, type DecisionReply } from './decision.script.js';

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

const REPLY_TIMEOUT_MILLISECONDS = 300;
// Looks for a reply are counted, not milliseconds: a process that stood still could not have read it.
const MILLISECONDS_BETWEEN_LOOKS = 30;
const LOOKS_FOR_A_REPLY = REPLY_TIMEOUT_MILLISECONDS / MILLISECONDS_BETWEEN_LOOKS;
// TCP sends a lost packet again as soon as one behind it arrives; with nothing behind it, later than this link waits.
const LOOKS_BEFORE_A_NUDGE = 2;
const CONNECT_TIMEOUT_MILLISECONDS = 1_000;
const PROBE_PAUSE_MILLISECONDS = 250;
const PROBE_TIMEOUT_MILLISECONDS = 2_500;

const SENTINEL_URL = /^redis(?<tls>s)?\+sentinel:\/\/(?:(?<user>[^@]*)@)?(?<sentinels>[^/@]+)\/(?<name>[^/]+)(?:\/(?<db>\d+))?$/;
const SENTINEL_PORT = 26_379;

/** The server is a Redis Cluster, in which a script may not reach its keys. */
export class RedisClusterError extends Error {
  override readonly name = 'RedisClusterError';

  constructor() {
    super('REDIS_URL is a Redis Cluster, which this service does not use: give it one Redis, or sentinels (redis+sentinel://)');
  }
}

interface LinkDependencies {
  readonly timers: Timers;
  readonly connect: typeof connectRedis;
}

interface Question {
  /** How often the link had looked for replies before. */
  readonly looksBefore: number;
  /** Resolves without Redis. */
  readonly giveUp: () => void;
}

/** The connection to Redis. Once it fails or a reply is overdue, nothing waits for it until an attempt in the background succeeds. */
export class RedisLink {
  private readonly logger = new Logger(RedisLink.name);
  private readonly breaker: CircuitBreaker;
  /** Questions without a reply, the oldest first. */
  private readonly pending = new Set<Question>();
  private redis: Redis | undefined;
  private looks = 0;
  private nextLook: Promise<void> | undefined;
  private isClosed = false;

  /** @param onConnect prepares a new connection; if it rejects, the connection is tried again */
  constructor(
    private readonly server: RedisServer,
    private readonly onConnect: (redis: Redis) => Promise<void> = () => Promise.resolve(),
    private readonly dependencies: LinkDependencies = { timers: systemTimers, connect: connectRedis },
  ) {
    const options = {
      probe: () => this.connect(),
      pause: PROBE_PAUSE_MILLISECONDS,
      timeoutMilliseconds: PROBE_TIMEOUT_MILLISECONDS,
      onOpen: (cause: unknown) =>
        this.logger.error(`Redis does not answer, so this instance counts requests by itself until it does: ${String(cause)}`),
      onClose: () => this.logger.warn('Redis answers again: requests are counted by all instances together.'),
    };
    this.breaker = new CircuitBreaker(options, dependencies.timers);
  }

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
    this.redis?.disconnect();
  }

  /** Returns what `shared` gets from Redis or, if that fails or takes too long, what `alone` returns; at once while Redis is away. */
  ask<Reply, Own extends Reply = Reply>(shared: (redis: Redis) => Promise<Reply>, alone: () => Own): Own | Promise<Reply> {
    const { redis } = this;
    if (!redis) return alone();
    return new Promise((resolve) => {
      const question = { looksBefore: this.looks, giveUp: () => resolve(alone()) };
      this.pending.add(question);
      this.nextLook ??= this.lookLater();
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

  /** Sets the one timer for all questions. */
  private async lookLater(): Promise<void> {
    await this.dependencies.timers.sleep(MILLISECONDS_BETWEEN_LOOKS);
    // After a long turn of the event loop a reply may have arrived but not been read yet.
    await nextTurn();
    this.look();
  }

  /** Looks whether the oldest question has its reply. */
  private look(): void {
    this.nextLook = undefined;
    const [oldest] = this.pending;
    if (!oldest || !this.redis) return;
    this.looks += 1;
    const looks = this.looks - oldest.looksBefore;
    if (looks > LOOKS_FOR_A_REPLY) {
      this.lose(this.redis, new Error(`no reply within ${REPLY_TIMEOUT_MILLISECONDS} ms`));
      return;
    }
    if (looks % LOOKS_BEFORE_A_NUDGE === 0) this.redis.ping().catch(() => undefined);
    this.nextLook = this.lookLater();
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
    const redis = await this.dependencies.connect(this.server, CONNECT_TIMEOUT_MILLISECONDS);
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

/**
 * Connects and runs a script that writes, as a read-only server is of no use. A lost connection is not repaired; commands without a reply
 * are rejected then.
 * @param timeout milliseconds
 * @throws RedisClusterError for a Redis Cluster
 * @throws Error with the reason, never with the password
 */
export async function connectRedis({ url, keyPrefix }: RedisServer, timeout: number): Promise<Redis> {
  const options: RedisOptions = {
    lazyConnect: true,
    enableOfflineQueue: false,
    retryStrategy: () => null,
    // A server that has stopped does not close its side.
    disconnectTimeout: 0,
    scripts: {
      decideRequest: { lua: DECISION_SCRIPT, numberOfKeys: 1 },
    },
  };
  const sentinels = parseSentinels(url);
  const redis = sentinels ? new Redis({ ...sentinels, ...options }) : new Redis(url, options);
  const failures: Error[] = [];
  redis.on('error', (error: Error) => failures.push(error));
  const deadline = setTimeout(() => {
    failures.push(new Error(`no answer within ${timeout} ms`));
    redis.disconnect();
  }, timeout);
  try {
    await redis.connect();
    // A user without the right to ask gets an error, which says nothing about clusters.
    if ((await redis.info('cluster').catch(() => '')).includes('cluster_enabled:1')) throw new RedisClusterError();
    await redis.decideRequest(`${keyPrefix}probe`, 0, ACTIONS.countAndBegin, 0, 0, 0, 0, 0, 1, 0, 'probe', 1_000, 1, 0, 0);
    // A database number that does not exist is reported by an event only.
    if (failures[0]) throw failures[0];
    return redis;
  } catch (error) {
    redis.disconnect();
    throw toReason(failures[0] ?? error);
  } finally {
    clearTimeout(deadline);
  }
}

/** Parses the URL of sentinels, which are asked for the primary at each connection; undefined for the URL of a server. */
function parseSentinels(url: string): RedisOptions | undefined {
  const found = SENTINEL_URL.exec(url)?.groups;
  if (!found) return undefined;
  const { tls, user = '', sentinels = '', name = '', db = '0' } = found;
  const [username, password] = user.split(':').map(decodeURIComponent);
  return {
    sentinels: sentinels.split(',').map((sentinel) => {
      const { hostname, port } = new URL(`redis://${sentinel}`);
      return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || SENTINEL_PORT) };
    }),
    name: decodeURIComponent(name),
    db: Number(db),
    ...(username && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {}, enableTLSForSentinelMode: true }),
    sentinelRetryStrategy: () => null,
  };
}

/** A host with several addresses fails with an error that has a code but no message. */
function toReason(error: unknown): Error {
  if (!(error instanceof Error) || error.message !== '') return error instanceof Error ? error : new Error(String(error));
  return new Error((error as NodeJS.ErrnoException).code ?? error.name, { cause: error });
}
