import { toWindowLimits } from '../../src/auth/index.js';
import { NEVER_BANNED, type Counts } from '../../src/rate-limiting/domain/decision.js';
import { InProcessLimiterStore } from '../../src/rate-limiting/store/in-process-limiter.store.js';
import type { LimiterStore } from '../../src/rate-limiting/store/limiter.store.js';
import { SharedLimiterStore } from '../../src/rate-limiting/store/shared-limiter.store.js';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { openRedisSpace, type RedisSpace } from '../databases/redis.fixture.js';
import { CountingWatch } from '../e2e/rate-limit.fixture.js';

const START = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const BANS = { after: 1, grace: 0, ladder: [60_000, 600_000] };

describe('counters in Redis', () => {
  let space: RedisSpace;
  let watch: CountingWatch;
  /** The counts in the database, which all instances save. */
  const saved = new Map<bigint, Counts>();
  beforeEach(async () => {
    space = await openRedisSpace();
    closeAtEnd(() => space.close());
    watch = new CountingWatch();
    saved.clear();
  });

  const openNext = async (): Promise<LimiterStore> => {
    const alone = new InProcessLimiterStore();
    watch.watchStore(alone);
    alone.onChange = (keyId, counts) => saved.set(keyId, structuredClone(counts));
    const store = new SharedLimiterStore(space, alone, async (keyId) => structuredClone(saved.get(keyId)));
    closeAtEnd(() => store.onApplicationShutdown());
    await store.onApplicationBootstrap();
    return store;
  };
  const key = (perMinute: number, perDay = perMinute) => ({
    keyId: 1n,
    windows: toWindowLimits({ perMinute, perDay }),
    ban: NEVER_BANNED,
    rules: BANS,
  });

  it('are those of all instances together', () =>
    watch.judge(async () => {
      const instances = await Promise.all(Array.from({ length: 4 }, () => openNext()));
      const decisions = await Promise.all(Array.from({ length: 400 }, async (_, index) => instances[index % 4]?.decide(key(100), START)));
      expect(decisions.filter((decision) => decision?.outcome === 'admitted')).toHaveLength(100);
      expect(decisions.filter((decision) => decision?.newBan)).toHaveLength(1);
    }));

  it('all end some day', async () => {
    const store = await openNext();
    await store.decide(key(1), START);
    await store.decide({ address: '192.0.2.1', windows: key(1).windows }, START);
    await store.decide({ address: 'route:Any.handler', windows: [{ name: 'route', seconds: 60, limit: 1 }] }, START);
    store.inspect({ address: '192.0.2.2', windows: key(1).windows }, START);
    const left = async (name: string) => [name, await space.observer.pttl(`${space.keyPrefix}${name}`)] as const;
    // That of a probe is there for a second.
    const names = (await space.keys()).filter((name) => name !== 'probe').sort();
    const [ofAddress, ofRoute, ofKey] = await Promise.all(names.map(left));
    expect([ofAddress, ofRoute, ofKey]).toEqual([
      ['address:192.0.2.1', expect.any(Number)],
      ['address:route:Any.handler', expect.any(Number)],
      ['key:1', expect.any(Number)],
    ]);
    expect(ofKey?.[1]).toBeGreaterThan(DAY / 2);
    expect(Math.max(ofKey?.[1] ?? NaN, ofAddress?.[1] ?? NaN)).toBeLessThanOrEqual(DAY / 2 + MINUTE);
    expect(ofRoute?.[1]).toBeLessThanOrEqual(2 * MINUTE);
  });

  it('are told again to a Redis that has forgotten them, and its script', () =>
    watch.judge(async () => {
      const [first, second] = [await openNext(), await openNext()];
      for (let sent = 0; sent < 3; sent += 1) await first.decide(key(9), START);
      await second.decide(key(9), START);
      await space.observer.script('FLUSH');
      await space.clear();
      expect(await first.decide(key(9), START)).toMatchObject({ windows: [{ used: 5 }, { used: 5 }] });
      expect(await second.decide(key(9), START)).toMatchObject({ windows: [{ used: 6 }, { used: 6 }] });
      expect(await second.decide(key(9), START + MINUTE)).toMatchObject({ windows: [{ used: 1 }, { used: 7 }] });
    }));

  it('keep a ban that the log does not have yet after Redis has forgotten it', () =>
    watch.judge(async () => {
      const [first, second] = [await openNext(), await openNext()];
      const decisions = await Promise.all(Array.from({ length: 3 }, async () => first.decide(key(1), START)));
      expect(decisions.map(({ outcome }) => outcome)).toEqual(['admitted', 'refused', 'banned']);
      await space.clear();
      // Redis hears of it again from the instance that knows it, and the others from Redis.
      expect((await first.decide(key(1), START)).outcome).toBe('banned');
      expect((await second.decide(key(1), START)).outcome).toBe('banned');
      expect((await second.decide({ ...key(1), ban: { until: 0, step: 0, unbans: 1 } }, START)).outcome).not.toBe('banned');
    }));
});
