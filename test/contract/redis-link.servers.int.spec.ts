import { until } from '#libs/testing';
import { RedisLink } from '../../src/rate-limiting/store/redis/redis-link.js';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { openRedisSpace } from '../databases/redis.fixture.js';
import { openCuttingProxy } from '../e2e/cutting-proxy.fixture.js';

const HIT = [0, 1, 0, 0, 0, 0, 0, 1, 0, 'second', 1_000, 10, 0, 0];

describe('the connection to Redis', () => {
  let isHeld: boolean;
  let answered: string;
  let ask: () => Promise<string> | string;

  beforeEach(async () => {
    const space = await openRedisSpace();
    closeAtEnd(() => space.close());
    [isHeld, answered] = [false, ''];
    const proxy = await openCuttingProxy(space.url, { pass: (text) => (isHeld ? '' : text), hear: (text) => (answered += text) });
    const { host } = new URL(proxy.origin);
    const link = new RedisLink({ url: `redis://${host}`, keyPrefix: space.keyPrefix });
    closeAtEnd(() => link.close());
    await link.open();
    ask = () =>
      link.ask(
        (redis) => redis.decideRequest(`${space.keyPrefix}hits`, ...HIT),
        (reply) => `of ${reply.at(-1)}`,
        () => 'alone',
      );
    await until(async () => (await ask()) !== 'alone');
  });

  it('is given up when a reply is late, whose count stays in Redis, and is back once Redis answers', async () => {
    isHeld = true;
    expect(await ask()).toBe('alone');
    expect(await ask()).toBe('alone');
    isHeld = false;
    await until(async () => (await ask()) !== 'alone');
  });

  it('is not lost to a process that stood still behind a question, which could not have read the reply', async () => {
    const answer = ask();
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
    expect(await answer).toMatch(/^of \d$/);
  });
});
