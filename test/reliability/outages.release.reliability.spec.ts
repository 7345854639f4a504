import { until } from '#libs/testing';
import { startOwnPostgres, type OwnPostgres } from '../databases/own-postgres.fixture.js';
import { createRedisServer, describeWithRedisServer, type RedisServer } from '../databases/redis-server.fixture.js';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { checkHistory } from './history/check-history.js';
import { isUnanswered } from './history/clients.fixture.js';
import { finalStateOf } from './history/final-state.fixture.js';
import type { Attempt, Addition } from './history/history.js';
import { RecordingClients } from './history/recording-clients.fixture.js';
import { IS_LONG } from './system/run-form.js';
import { createSystem, expectNoViolations, readinessOf, type SystemUnderTest } from './system/system-under-test.fixture.js';

// Few in the short form, whose machine has other work: what they keep busy has no time to serve.
const CLIENTS = IS_LONG ? 8 : 3;
const ROUNDS = IS_LONG ? 10 : 2;
const DURING_AN_OUTAGE = IS_LONG ? 200 : 50;

// That connections are cut in the middle of transactions is of lost-sessions.
describe('a service under load', () => {
  /** Has an outage come and go again and again. Returns what clients sent, all of which the service has to have answered. */
  const endure = async (
    name: string,
    system: SystemUnderTest,
    outage: (clients: RecordingClients) => Promise<void>,
  ): Promise<readonly Attempt<Addition>[]> => {
    const clients = new RecordingClients(CLIENTS, system);
    for (let round = 0; round < ROUNDS; round += 1) {
      await clients.acknowledgeMore(20);
      await outage(clients);
    }
    await clients.acknowledgeMore(20);
    const history = await clients.stop();
    expectNoViolations(name, checkHistory(history, await finalStateOf(system)), system, history);
    expect(history.adds.filter(isUnanswered)).toEqual([]);
    return history.adds;
  };

  it.each<[string, (server: OwnPostgres) => Promise<void>, (server: OwnPostgres) => Promise<void>]>([
    ['is stopped', (server) => server.stop('fast'), (server) => server.start()],
    ['crashes', (server) => server.stop('immediate'), (server) => server.start()],
    ['is frozen', (server) => server.freeze(), (server) => server.thaw()],
  ])('answers 503 while its PostgreSQL %s, loses nothing that it acknowledged and serves again by itself', async (name, fail, restore) => {
    const server = await startOwnPostgres();
    const system = await createSystem(async () => server);
    await system.launch().listening;
    await endure(`PostgreSQL ${name}`, system, async (clients) => {
      await fail(server);
      const refused = clients.unavailable + DURING_AN_OUTAGE;
      await until(
        () => clients.unavailable >= refused,
        () => `${clients.unavailable} of ${refused} refused`,
      );
      await restore(server);
    });
  });

  describeWithRedisServer('whose Redis fails', () => {
    it.each<[string, (redis: RedisServer) => unknown, (redis: RedisServer) => unknown]>([
      ['crashes', (redis) => redis.kill(), (redis) => redis.start()],
      ['is frozen', (redis) => redis.freeze(), (redis) => redis.thaw()],
    ])('answers on as if nothing were wrong when it %s, and counts there again when it is back', async (name, fail, restore) => {
      const redis = await createRedisServer();
      await redis.start();
      const system = await createSystem(createSqliteDatabase, { REDIS_URL: redis.url });
      const service = await system.launch().listening;
      const counting = (state: string) => until(async () => (await readinessOf(service)).parts['counting']?.state === state);
      const adds = await endure(`Redis ${name}`, system, async (clients) => {
        // A process that gets no processor for a while takes that for an outage too.
        await counting('ready');
        await fail(redis);
        await counting('degraded');
        await clients.acknowledgeMore(DURING_AN_OUTAGE);
        await restore(redis);
        await counting('ready');
      });
      // What is shed says that the service is busy, not that Redis is away.
      expect(adds.filter(({ outcome }) => outcome.kind === 'unknown' && outcome.reason !== 'shed')).toEqual([]);
    });
  });
});
