import { setTimeout as delay } from 'node:timers/promises';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { stopAll } from './history/clients.fixture.js';
import { RecordingClients } from './history/recording-clients.fixture.js';
import type { Addition, Attempt } from './history/history.js';
import { SERVING_ROLE, startServingPostgres, type ServingPostgres } from './one-connection/serving-postgres.fixture.js';
import { IS_LONG, randomBetween } from './system/run-form.js';
import { createSystem, expectNoViolations, type SystemUnderTest } from './system/system-under-test.fixture.js';

const ROUNDS = IS_LONG ? 40 : 3;
const CLIENTS = IS_LONG ? 8 : 3;
const CANCELLATIONS = 200;
const LASTING_MILLISECONDS = 500;

describe('two instances whose sessions PostgreSQL ends, cancels and refuses under load', () => {
  let postgres: ServingPostgres;
  let system: SystemUnderTest;
  let load: readonly RecordingClients[];
  let observers: readonly ApiClient[];
  beforeEach(async () => {
    postgres = await startServingPostgres();
    system = await createSystem(async () => postgres);
    const services = await Promise.all([system.launch().listening, system.launchBeside().listening]);
    const { key } = system;
    load = services.map(({ origin }, index) => new RecordingClients(CLIENTS, { origin, key, prefix: `${index + 1}-` }));
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
  const failures: readonly (readonly [name: string, fail: () => Promise<void>])[] = [
    ['a session was ended', () => terminate(1)],
    ['a session was cancelled', async () => cancel(oneOf(await postgres.sessions()))],
    ['a writer was cancelled', async () => cancel(oneOf(await postgres.sessions('writing')))],
    [
      'sessions were ended and no more than three allowed',
      () => during(`ALTER ROLE ${SERVING_ROLE} CONNECTION LIMIT 3`, `ALTER ROLE ${SERVING_ROLE} CONNECTION LIMIT -1`, 3),
    ],
    [
      'sessions were ended and no others allowed',
      () => during('ALTER DATABASE adoption ALLOW_CONNECTIONS false', 'ALTER DATABASE adoption ALLOW_CONNECTIONS true', 2),
    ],
  ];

  it(
    'stay right and are whole again',
    async () => {
      const adds: Attempt<Addition>[] = [];
      for (let round = 1; round <= ROUNDS; round += 1) {
        for (const [name, fail] of failures) {
          await Promise.all(load.map((clients) => clients.acknowledgeMore(randomBetween(1, 10))));
          await fail();
          for (const [index, observer] of observers.entries()) {
            adds.push(...(await postgres.awaitWholeness(observer, `${round}: ${name} (instance ${index + 1})`)));
          }
        }
      }
      const seen = await stopAll(load);
      const history = { ...seen, adds: [...seen.adds, ...adds] };
      expectNoViolations('lost-sessions', checkHistory(history, await finalStateOf(system)), system, history);
    },
    IS_LONG ? 1_200_000 : 240_000,
  );
});
