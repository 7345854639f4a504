import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { redisUrl } from './servers.mjs';

/** A part of the Redis of the tests that nobody else uses. */
export interface RedisSpace {
  /** As `REDIS_URL` takes it. */
  readonly url: string;
  readonly keyPrefix: string;
  /** A plain connection to look at what is there. */
  readonly observer: Redis;
  /** Names of all keys, without the prefix. */
  keys(): Promise<string[]>;
  /** Removes all keys. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function openRedisSpace(): Promise<RedisSpace> {
  const keyPrefix = `adoption-test-${randomUUID()}:`;
  const observer = new Redis(redisUrl);
  const names = () => observer.keys(`${keyPrefix}*`);
  const clear = async () => {
    const found = await names();
    if (found.length > 0) await observer.unlink(...found);
  };
  return {
    url: redisUrl,
    keyPrefix,
    observer,
    clear,
    keys: async () => (await names()).map((name) => name.slice(keyPrefix.length)),
    async close() {
      await clear();
      await observer.quit();
    },
  };
}
