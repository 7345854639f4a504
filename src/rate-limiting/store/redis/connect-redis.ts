import { Redis, type Result } from 'ioredis';
import { DECISION_SCRIPT, ROUTE_HITS_SCRIPT, type DecisionAnswer, type RouteHitsAnswer } from './decision.script.js';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    decideRequest(key: string, ...values: readonly number[]): Result<DecisionAnswer, Context>;
    decideHit(key: string, ...values: readonly number[]): Result<RouteHitsAnswer, Context>;
  }
}

export interface RedisServer {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
  /** What the names of all keys begin with, so that several deployments may share one Redis. */
  readonly keyPrefix: string;
}

/**
 * Connects and has Redis run a script that writes: a server that can only be read is of no use. The connection is not
 * repaired once it is lost, and what it has not answered by then is rejected.
 * @param timeout milliseconds
 * @throws Error that says why, never with the password
 */
export async function connectRedis({ url, keyPrefix }: RedisServer, timeout: number): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    retryStrategy: () => null,
    // A server that has stopped does not close its side.
    disconnectTimeout: 0,
    scripts: {
      decideRequest: { lua: DECISION_SCRIPT, numberOfKeys: 1 },
      decideHit: { lua: ROUTE_HITS_SCRIPT, numberOfKeys: 1 },
    },
  });
  const failures: Error[] = [];
  redis.on('error', (error: Error) => failures.push(error));
  const deadline = setTimeout(() => {
    failures.push(new Error(`no answer within ${timeout} ms`));
    redis.disconnect();
  }, timeout);
  try {
    await redis.connect();
    await redis.decideHit(`${keyPrefix}probe`, 0, 1, 1_000, -1);
    // A database number that does not exist is only said by an event.
    if (failures[0]) throw failures[0];
    return redis;
  } catch (error) {
    redis.disconnect();
    throw reasonOf(failures[0] ?? error);
  } finally {
    clearTimeout(deadline);
  }
}

/** An attempt on several addresses of a host fails with an error that has a code but no message. */
function reasonOf(error: unknown): Error {
  if (!(error instanceof Error) || error.message !== '') return error instanceof Error ? error : new Error(String(error));
  return new Error((error as NodeJS.ErrnoException).code ?? error.name, { cause: error });
}
