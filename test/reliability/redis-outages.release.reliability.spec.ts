import { until } from '#libs/testing';
import { createRedisServer, describeWithRedisServer, type RedisServer } from '../databases/redis-server.fixture.js';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import type { BuiltService } from '../e2e/built-service.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { RecordingClients } from './history/history-client.fixture.js';
import { IS_LONG, random } from './system/run-form.js';
import { createSystem, expectNoViolations, type SystemUnderTest } from './system/system-under-test.fixture.js';

// Few in the short form, whose machine has other work: what they keep busy has no time to serve.
const CLIENTS = IS_LONG ? 8 : 3;
const ROUNDS = IS_LONG ? 10 : 2;
const DURING_AN_OUTAGE = IS_LONG ? 200 : 100;

describeWithRedisServer('a service whose Redis server fails under load', () => {
  let redis: RedisServer;
  let system: SystemUnderTest;
  let service: BuiltService;
  beforeEach(async () => {
    redis = await createRedisServer();
    await redis.start();
    // A file keeps nobody waiting but the service itself, so that all other delay is that of Redis.
    system = await createSystem(createSqliteDatabase, { REDIS_URL: redis.url });
    service = await system.launch().listening;
  });

  /** Resolves when the service counts in Redis, which is `ready`, or alone. */
  const counting = (state: 'ready' | 'degraded') =>
    until(async () => {
      const health = (await (await fetch(`${service.management}/health/ready`)).json()) as { parts: { counting: { state: string } } };
      return health.parts.counting.state === state;
    });

  it.each([
    ['crashes', () => redis.kill(), () => redis.start()],
    ['is frozen', () => redis.freeze(), () => redis.thaw()],
  ])('answers on as if nothing were wrong when it %s, and counts there again when it is back', async (name, fail, restore) => {
    const clients = new RecordingClients(CLIENTS, { origin: system.origin, key: system.key, random });
    for (let round = 0; round < ROUNDS; round += 1) {
      await clients.acknowledgeMore(50);
      // A process that gets no processor for a while takes that for an outage too.
      await counting('ready');
      await fail();
      await counting('degraded');
      await clients.acknowledgeMore(DURING_AN_OUTAGE);
      await restore();
      await counting('ready');
    }
    await clients.acknowledgeMore(50);
    const history = await clients.stop();
    expectNoViolations(`Redis ${name}`, checkHistory(history, await finalStateOf(system)), system, history);
    // What is shed says that the service is busy, not that Redis is away.
    expect(history.adds.filter(({ outcome }) => outcome.kind === 'unknown' && outcome.reason !== 'shed')).toEqual([]);
  });
});
