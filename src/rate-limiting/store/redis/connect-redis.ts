import { Redis, type RedisOptions, type Result } from 'ioredis';
import { DECISION_SCRIPT, ROUTE_HITS_SCRIPT, type DecisionReply, type RouteHitsReply } from './decision.script.js';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    decideRequest(key: string, ...values: readonly number[]): Result<DecisionReply | readonly [], Context>;
    decideHit(key: string, ...values: readonly number[]): Result<RouteHitsReply, Context>;
  }
}

export interface RedisServer {
  /** `redis://…`, `rediss://…`, or the same with `+sentinel`, the addresses of sentinels and the name of what they watch. */
  readonly url: string;
  /** Prefix of all keys, so that several deployments can share one Redis. */
  readonly keyPrefix: string;
}

const SENTINEL_URL = /^redis(?<tls>s)?\+sentinel:\/\/(?:(?<user>[^@]*)@)?(?<sentinels>[^/@]+)\/(?<name>[^/]+)(?:\/(?<db>\d+))?$/;
const SENTINEL_PORT = 26_379;

/** The server is a Redis Cluster, in which a script may not reach its keys. */
export class RedisClusterError extends Error {
  override readonly name = 'RedisClusterError';

  constructor() {
    super('REDIS_URL is a Redis Cluster, which this service does not use: give it one Redis, or sentinels (redis+sentinel://)');
  }
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
      decideHit: { lua: ROUTE_HITS_SCRIPT, numberOfKeys: 1 },
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
    await redis.decideHit(`${keyPrefix}probe`, 0, 1, 1_000, -1);
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
