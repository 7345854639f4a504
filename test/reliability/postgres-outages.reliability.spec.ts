import pg from 'pg';
import { startOwnPostgres, type OwnPostgres } from '../databases/own-postgres.fixture.js';
import type { BuiltService } from '../e2e/built-service.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf, queryDatabase } from './history/final-state.fixture.js';
import { RecordingClients } from './history/history-client.fixture.js';
import { slowestAnswer, type AddAttempt } from './history/history.js';
import { report } from './system/figures.js';
import { IS_LONG, random, randomBetween } from './system/run-form.js';
import { createSystem, type SystemUnderTest } from './system/system-under-test.fixture.js';
import { until } from './system/until.js';

// Few in the short form, whose machine has other work: what they keep busy has no time to serve.
const CLIENTS = IS_LONG ? 8 : 3;
const ROUNDS = IS_LONG ? 10 : 2;
const REFUSED_IN_AN_OUTAGE = IS_LONG ? 200 : 50;
const CUTS = IS_LONG ? 200 : 20;
// What is promised.
const BACK_WITHIN_MILLISECONDS = 5_000;
// Two seconds at most by its timeouts, and what a machine with other work may add to that.
const ANSWERED_WITHIN_MILLISECONDS = 2_000 + 3_000;

describe('a service whose PostgreSQL server fails under load', () => {
  let server: OwnPostgres;
  let system: SystemUnderTest;
  let service: BuiltService;
  let clients: RecordingClients;
  beforeEach(async () => {
    server = await startOwnPostgres();
    system = await createSystem(async () => ({ url: server.url, remove: () => server.remove() }));
    service = await system.launch().listening;
    clients = new RecordingClients(CLIENTS, { origin: system.origin, key: system.key, random });
    await clients.acknowledgeMore(50);
  });
  afterEach(async () => {
    await service.stop('SIGKILL');
    await system.remove();
  });

  /** Lets the server fail and return some times, then compares what clients saw with what is there. */
  const endure = async (name: string, fail: () => Promise<void>, restore: () => Promise<void>) => {
    const returns: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await fail();
      const refused = clients.unavailable + REFUSED_IN_AN_OUTAGE;
      await until(() => clients.unavailable >= refused);
      await restore();
      await queryDatabase(system.databaseUrl, 'SELECT 1');
      const returned = performance.now();
      await clients.acknowledgeMore(20);
      returns.push(performance.now() - returned);
    }
    await conclude(name, { outages: ROUNDS, 'longest ms until 20 more': Math.round(Math.max(...returns)) });
    expect(Math.max(...returns)).toBeLessThan(BACK_WITHIN_MILLISECONDS);
  };

  const conclude = async (name: string, figures: Readonly<Record<string, number>>) => {
    const history = await clients.stop();
    const slowest = slowestAnswer(history);
    report(`PostgreSQL ${name}`, {
      ...figures,
      acknowledged: clients.acknowledged,
      'answered with 503': clients.unavailable,
      'longest ms of an answer': Math.round(slowest),
    });
    expect(checkHistory(history, await finalStateOf(system))).toEqual([]);
    expect(history.adds.filter(isCutOff)).toEqual([]);
    expect(slowest).toBeLessThan(ANSWERED_WITHIN_MILLISECONDS);
  };

  it('answers 503 while it is stopped, loses nothing that it acknowledged and serves again by itself', () =>
    endure('stopped', () => server.stop('fast'), server.start));

  it('does the same when it crashes', () => endure('crashed', () => server.stop('immediate'), server.start));

  it('does the same while it is frozen', () => endure('frozen', server.freeze, server.thaw));

  it('gives no wrong answer when connections are cut in the middle of transactions', async () => {
    const operator = new pg.Client({ connectionString: server.url });
    await operator.connect();
    for (let cut = 0; cut < CUTS; cut += 1) {
      await clients.acknowledgeMore(randomBetween(1, 20));
      await operator.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    }
    await operator.end();
    await clients.acknowledgeMore(20);
    await conclude('connections cut', { cuts: CUTS });
  });
});

/** A request that the service, which runs all the time, never answered. */
function isCutOff({ outcome }: AddAttempt): boolean {
  return outcome.kind === 'unknown' && outcome.reason !== '503';
}
