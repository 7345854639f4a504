import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { redisUrl } from './servers.mjs';

/** A part of the Redis of the tests that nobody else uses. */
export type RedisSpace = Awaited<ReturnType<typeof openRedisSpace>>;

export async function openRedisSpace() {
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
    /** Names of all keys, without the prefix. */
    keys: async () => (await names()).map((name) => name.slice(keyPrefix.length)),
    async close() {
      await clear();
      await observer.quit();
    },
  };
}
