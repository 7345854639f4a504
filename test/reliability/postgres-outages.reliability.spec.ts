import pg from 'pg';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { startOwnPostgres, type OwnPostgres } from '../databases/own-postgres.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { RecordingClients } from './history/history-client.fixture.js';
import { slowestAnswer } from './history/history.js';
import { controlOfPostgres, controlOfService, type ControlClient } from './system/control-client.fixture.js';
import { report } from './system/figures.js';
import { IS_LONG, random, randomBetween } from './system/run-form.js';
import { createSystem, type SystemUnderTest } from './system/system-under-test.fixture.js';

// Few in the short form, whose machine has other work: what they keep busy has no time to serve.
const CLIENTS = IS_LONG ? 8 : 3;
const ROUNDS = IS_LONG ? 10 : 2;
const REFUSED_IN_AN_OUTAGE = IS_LONG ? 200 : 50;
const CUTS = IS_LONG ? 200 : 20;
// What is promised, in the time of a control client.
const BACK_WITHIN_MILLISECONDS = 5_000;
const ANSWERED_WITHIN_MILLISECONDS = 2_000;
/** A shed request was not asked of the database. */
const ANSWERED_WITH_503 = ['503', 'shed'];

describe('a service whose PostgreSQL server fails under load', () => {
  let server: OwnPostgres;
  let system: SystemUnderTest;
  let clients: RecordingClients;
  let controlOfAnswers: ControlClient;
  let failures: number[];
  beforeEach(async () => {
    failures = [];
    server = await startOwnPostgres();
    system = await createSystem(async () => server);
    await system.launch().listening;
    controlOfAnswers = controlOfService(system.origin);
    clients = new RecordingClients(CLIENTS, { origin: system.origin, key: system.key, random });
    await clients.acknowledgeMore(50);
  });

  /** Lets the server fail and return some times, then compares what clients saw with what is there. */
  const endure = async (name: string, fail: () => Promise<void>, restore: () => Promise<void>) => {
    const controlOfReturn = controlOfPostgres(server.url);
    const returns: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      await fail();
      failures.push(performance.now());
      const refused = clients.unavailable + REFUSED_IN_AN_OUTAGE;
      await until(() => clients.unavailable >= refused);
      // Nothing answers the control client before the server does.
      const restoring = performance.now();
      await restore();
      await clients.acknowledgeMore(1);
      returns.push(controlOfReturn.millisecondsBetween(restoring, performance.now()));
      await clients.acknowledgeMore(19);
    }
    await conclude(name, { outages: ROUNDS, 'longest ms until it serves again': Math.max(...returns) });
    expect(Math.max(...returns)).toBeLessThan(BACK_WITHIN_MILLISECONDS);
  };

  const conclude = async (name: string, figures: Readonly<Record<string, number>>) => {
    const history = await clients.stop();
    // What a request had taken when the server failed was no wait for a server that has failed.
    const slowest = slowestAnswer(history, (begun, ended) =>
      controlOfAnswers.millisecondsBetween(Math.max(begun, ...failures.filter((moment) => moment < ended)), ended),
    );
    report(`PostgreSQL ${name}`, {
      ...figures,
      acknowledged: clients.acknowledged,
      'answered with 503': clients.unavailable,
      shed: clients.shed,
      'longest ms of an answer by the clock': Math.round(slowestAnswer(history)),
      'longest ms of an answer': slowest,
    });
    expect(checkHistory(history, await finalStateOf(system))).toEqual([]);
    // The service runs all the time, so it answers everything.
    expect(history.adds.filter(({ outcome }) => outcome.kind === 'unknown' && !ANSWERED_WITH_503.includes(outcome.reason))).toEqual([]);
    expect(slowest).toBeLessThan(ANSWERED_WITHIN_MILLISECONDS);
  };

  it('answers 503 while it is stopped, loses nothing that it acknowledged and serves again by itself', () =>
    endure('stopped', () => server.stop('fast'), server.start));

  it('does the same when it crashes', () => endure('crashed', () => server.stop('immediate'), server.start));

  it('does the same while it is frozen', () => endure('frozen', server.freeze, server.thaw));

  it('gives no wrong answer when connections are cut in the middle of transactions', async () => {
    const operator = new pg.Client({ connectionString: server.url });
    closeAtEnd(() => operator.end());
    await operator.connect();
    for (let cut = 0; cut < CUTS; cut += 1) {
      await clients.acknowledgeMore(randomBetween(1, 20));
      await operator.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
      );
    }
    await clients.acknowledgeMore(20);
    await conclude('connections cut', { cuts: CUTS });
  });
});
