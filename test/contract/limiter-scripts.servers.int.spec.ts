import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { toWindowLimits, WINDOWS } from '../../src/auth/index.js';
import { decide, newCounts, type Counts, type Decision } from '../../src/rate-limiting/domain/decision.js';
import type { Subject } from '../../src/rate-limiting/store/limiter.store.js';
import { createRedis } from '../../src/rate-limiting/store/redis/redis-link.js';
import { countInRedis, type CounterRequest } from '../../src/rate-limiting/store/shared-limiter.store.js';
import { openRedisSpace, type RedisSpace } from '../databases/redis.fixture.js';

const START = Date.UTC(2026, 0, 1, 12);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const pause = fc.oneof(
  { weight: 4, arbitrary: fc.nat(200) },
  { weight: 3, arbitrary: fc.nat(2 * MINUTE) },
  // To the very end of a grace, a ban or the memory of bans.
  { weight: 6, arbitrary: fc.constantFrom(SECOND, 2 * SECOND, MINUTE, 2 * MINUTE, DAY + SECOND) },
  // Clocks step back, a little or for good.
  { weight: 1, arbitrary: fc.integer({ min: -MINUTE, max: 0 }) },
  { weight: 1, arbitrary: fc.integer({ min: -2 * DAY, max: 2 * DAY }) },
);
const limits = fc.record({ perMinute: fc.integer({ min: 1, max: 3 }), perDay: fc.integer({ min: 1, max: 20 }) });
/** The last ban in the log; `endsIn` counts from the request. */
const recorded = fc.oneof(
  { weight: 20, arbitrary: fc.constant({ endsIn: -Infinity, step: 0, unbans: 0 }) },
  { weight: 1, arbitrary: fc.record({ endsIn: fc.nat(3 * MINUTE), step: fc.integer({ min: 1, max: 3 }), unbans: fc.nat(2) }) },
);
const rules = fc.record({
  after: fc.constantFrom(0, 1, 1, 1, 3),
  grace: fc.constantFrom(0, 2 * SECOND),
  ladder: fc.constantFrom([MINUTE], [SECOND, 2 * MINUTE, 25 * 60 * MINUTE]),
});
const request = fc.record({
  pause,
  limits,
  recorded,
  times: fc.integer({ min: 1, max: 8 }),
});

describe('the scripts in Redis', () => {
  let space: RedisSpace;
  let redis: Redis;
  let callers = 0;
  beforeAll(async () => {
    space = await openRedisSpace();
    redis = createRedis(space);
    await redis.connect();
  });
  afterAll(async () => {
    redis.disconnect();
    await space.close();
  });

  const count = (caller: number, asked: CounterRequest) => countInRedis(redis, `${space.keyPrefix}${caller}`, asked, true);

  it('decide on every request as the domain does', async () => {
    const schedules = fc.array(request, { minLength: 1, maxLength: 40, size: 'max' });
    const property = fc.asyncProperty(schedules, rules, fc.nat(3), async (schedule, bans, draw) => {
      const counts = newCounts(WINDOWS);
      const id = (callers += 1);
      let known: Counts | undefined;
      const decideInRedis = async (asked: CounterRequest) => {
        const decided = await count(id, asked);
        if (!decided) throw new Error('Nothing was decided.');
        known = decided.counts;
        return decided.decision;
      };
      let now = START;
      for (const { pause: passed, limits: allowed, recorded: log, times } of schedule) {
        now += passed;
        const ban = { until: Math.max(0, now + log.endsIn), step: log.step, unbans: log.unbans };
        const windows = toWindowLimits(allowed);
        const subject: Subject = draw > 0 ? { keyId: BigInt(id), windows, ban, rules: bans } : { address: `${id}`, windows };
        const asked = { subject, known, now };
        const expected: Decision[] = [];
        // A burst leaves before its first reply is read, and Redis answers in the order of the questions.
        const found: Promise<Decision>[] = [];
        for (let sent = 0; sent < times; sent += 1) {
          expected.push(decide(counts, subject, now));
          found.push(decideInRedis(asked));
        }
        expect(await Promise.all(found)).toEqual(expected);
      }
    });
    await fc.assert(property, { numRuns: 120 });
  });

  it('decide on every request to a route as the domain does', async () => {
    const window = fc.record({ name: fc.constant('route'), limit: fc.integer({ min: 1, max: 3 }), seconds: fc.constantFrom(0.5, 1, 60) });
    const blocks = fc.constantFrom(undefined, { after: 0, grace: 0, ladder: [500] }, { after: 0, grace: 0, ladder: [5_000] });
    const property = fc.asyncProperty(fc.array(fc.nat(2_500), { maxLength: 30 }), window, blocks, async (pauses, limit, rules) => {
      const counts = newCounts([limit]);
      const id = (callers += 1);
      const subject = { address: `route:${id}`, windows: [limit], rules };
      let now = START;
      for (const passed of pauses) {
        now += passed;
        const found = await count(id, { subject, known: undefined, now });
        expect(found).toEqual({ decision: decide(counts, subject, now), counts: expect.objectContaining({ windows: counts.windows }) });
      }
    });
    await fc.assert(property, { numRuns: 50 });
  });
});
