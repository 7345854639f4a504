import { createRedisServer, describeWithRedisServer, type RedisServer } from '../databases/redis-server.fixture.js';
import { createPostgresDatabase } from '../databases/test-database.fixture.js';
import type { BuiltService } from '../e2e/built-service.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { RecordingClients } from './history/history-client.fixture.js';
import { slowestAnswer } from './history/history.js';
import { report } from './system/figures.js';
import { IS_LONG, random } from './system/run-form.js';
import { createSystem, PATIENT, type SystemUnderTest } from './system/system-under-test.fixture.js';
import { until } from './system/until.js';

// Few in the short form, whose machine has other work: what they keep busy has no time to serve.
const CLIENTS = IS_LONG ? 8 : 3;
const ROUNDS = IS_LONG ? 10 : 2;
const DURING_AN_OUTAGE = IS_LONG ? 200 : 100;
const RETURNED = 'Redis answers again';
// Half a second is promised; a loaded machine may add to it.
const DELAYED_BY_AT_MOST_MILLISECONDS = 500 + 2_000;

describeWithRedisServer('a service whose Redis server fails under load', () => {
  let redis: RedisServer;
  let system: SystemUnderTest;
  let service: BuiltService;
  beforeEach(async () => {
    redis = await createRedisServer();
    await redis.start();
    system = await createSystem(createPostgresDatabase, { ...PATIENT, REDIS_URL: redis.url });
    service = await system.launch().listening;
  });
  afterEach(async () => {
    await service.stop('SIGKILL');
    await redis.kill();
    await system.remove();
  });

  it.each([
    ['crashes', () => redis.kill(), () => redis.start()],
    ['is frozen', () => redis.freeze(), () => redis.thaw()],
  ])('answers on as if nothing were wrong when it %s, and counts there again when it is back', async (name, fail, restore) => {
    const clients = new RecordingClients(CLIENTS, { origin: system.origin, key: system.key, random });
    for (let round = 0; round < ROUNDS; round += 1) {
      await clients.acknowledgeMore(50);
      await fail();
      await clients.acknowledgeMore(DURING_AN_OUTAGE);
      await restore();
      await until(() => countOf(service.output(), RETURNED) > round);
    }
    await clients.acknowledgeMore(50);
    const history = await clients.stop();
    const slowest = slowestAnswer(history);
    report(`Redis ${name}`, {
      outages: ROUNDS,
      acknowledged: clients.acknowledged,
      'answered with 503': clients.unavailable,
      'longest ms of an answer': Math.round(slowest),
    });
    expect(checkHistory(history, await finalStateOf(system))).toEqual([]);
    expect(history.adds.filter(({ outcome }) => outcome.kind === 'unknown')).toEqual([]);
    expect(slowest).toBeLessThan(DELAYED_BY_AT_MOST_MILLISECONDS);
  });
});

function countOf(text: string, part: string): number {
  return text.split(part).length - 1;
}
