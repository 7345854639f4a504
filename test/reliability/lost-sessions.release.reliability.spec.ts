import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { launchBuiltService } from '../e2e/built-service.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { RecordingClients, stopAll } from './history/history-client.fixture.js';
import type { AddAttempt } from './history/history.js';
import { SERVING_ROLE, startLoggedPostgres, type LoggedPostgres } from './one-connection/logged-postgres.fixture.js';
import { NeighbourReads, sumOf, tooFewAnswered, type ReadCount } from './one-connection/neighbour-reads.fixture.js';
import { awaitWholeness } from './one-connection/wholeness.fixture.js';
import { IS_LONG, random, randomBetween } from './system/run-form.js';
import { createSystem, expectNoViolations, type SystemUnderTest } from './system/system-under-test.fixture.js';

const ROUNDS = IS_LONG ? 40 : 3;
const CLIENTS = IS_LONG ? 8 : 3;
const CANCELLATIONS = 200;
const LASTING_MILLISECONDS = 500;
// A window with so many reads that one of them, on a loaded machine, decides nothing.
const LOOKED_AT_MILLISECONDS = 500;

describe('two instances whose sessions PostgreSQL ends, cancels and refuses under load', () => {
  let postgres: LoggedPostgres;
  let system: SystemUnderTest;
  let load: readonly RecordingClients[];
  let neighbours: readonly NeighbourReads[];
  let observers: readonly ApiClient[];
  beforeEach(async () => {
    postgres = await startLoggedPostgres();
    system = await createSystem(async () => postgres);
    const services = await Promise.all([
      system.launch().listening,
      launchBuiltService(system.folder, { DATABASE_URL: system.databaseUrl, LOG_LEVEL: 'warn' }).listening,
    ]);
    await postgres.beginLog();
    const { key } = system;
    load = services.map(({ origin }, index) => new RecordingClients(CLIENTS, { origin, key, random, prefix: `${index + 1}-` }));
    neighbours = services.map(({ origin }) => new NeighbourReads(origin, key));
    observers = services.map(({ origin }) => new ApiClient(origin, key));
    await Promise.all(load.map((clients) => clients.acknowledgeMore(20)));
  });
  const ask = (statement: string) => postgres.operator.query(statement);
  const oneOf = (pids: readonly number[]): number => pids[randomBetween(0, pids.length - 1)] ?? 0;
  const terminate = async (sessions: number): Promise<void> => {
    for (let count = 0; count < sessions; count += 1) await ask(`SELECT pg_terminate_backend(${oneOf(await postgres.sessions())})`);
  };
  const cancel = async (pid: number): Promise<void> => {
    await ask(`SELECT pg_cancel_backend(${pid}), pg_sleep(0.002) FROM generate_series(1, ${CANCELLATIONS})`);
  };
  const during = async (begin: string, end: string, lost: number): Promise<void> => {
    await ask(begin);
    await terminate(lost);
    await delay(LASTING_MILLISECONDS);
    await ask(end);
  };
  const failures: readonly { readonly name: string; readonly connections: 'one' | 'several'; fail(): Promise<void> }[] = [
    { name: 'a session was ended', connections: 'one', fail: () => terminate(1) },
    { name: 'a session was cancelled', connections: 'one', fail: async () => cancel(oneOf(await postgres.sessions())) },
    { name: 'a writer was cancelled', connections: 'one', fail: async () => cancel(oneOf(await postgres.sessions('writing'))) },
    {
      name: 'sessions were ended and no more than three allowed',
      connections: 'several',
      fail: () => during(`ALTER ROLE ${SERVING_ROLE} CONNECTION LIMIT 3`, `ALTER ROLE ${SERVING_ROLE} CONNECTION LIMIT -1`, 3),
    },
    {
      name: 'sessions were ended and no others allowed',
      connections: 'several',
      fail: () => during('ALTER DATABASE adoption ALLOW_CONNECTIONS false', 'ALTER DATABASE adoption ALLOW_CONNECTIONS true', 2),
    },
  ];

  it(
    'stay right, read on where one connection is concerned, and are whole again',
    async () => {
      const violations: string[] = [];
      const adds: AddAttempt[] = [];
      let besideOne: ReadCount = { reads: 0, answered: 0 };
      for (const [number, { name, connections, fail }] of Array.from({ length: ROUNDS }, () => failures)
        .flat()
        .entries()) {
        await Promise.all(load.map((clients) => clients.acknowledgeMore(randomBetween(1, 10))));
        const begun = performance.now();
        await fail();
        for (const [index, observer] of observers.entries()) {
          adds.push(...(await awaitWholeness(observer, postgres, `${number + 1}: ${name} (instance ${index + 1})`)));
        }
        await delay(Math.max(0, LOOKED_AT_MILLISECONDS - (performance.now() - begun)));
        if (connections === 'one') besideOne = sumOf([besideOne, ...neighbours.map((reads) => reads.between(begun, performance.now()))]);
      }
      await Promise.all(neighbours.map((neighbour) => neighbour.stop()));
      const seen = await stopAll(load);
      const history = { ...seen, adds: [...seen.adds, ...adds] };
      // Before the look at what is there, which makes tables of its own to compare with.
      violations.push(...(await postgres.strayStatements()));
      violations.push(...checkHistory(history, await finalStateOf(system)));
      expectNoViolations('lost-sessions', [...violations, ...tooFewAnswered(besideOne)], system, history);
    },
    IS_LONG ? 1_200_000 : 240_000,
  );
});
