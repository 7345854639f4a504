import { until } from '#libs/testing';
import { startOwnPostgres, type OwnPostgres } from '../databases/own-postgres.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { RecordingClients } from './history/history-client.fixture.js';
import { IS_LONG, random } from './system/run-form.js';
import { createSystem, expectNoViolations } from './system/system-under-test.fixture.js';

// Few in the short form, whose machine has other work: what they keep busy has no time to serve.
const CLIENTS = IS_LONG ? 8 : 3;
const ROUNDS = IS_LONG ? 10 : 2;
const REFUSED_IN_AN_OUTAGE = IS_LONG ? 200 : 50;
/** A shed request was not asked of the database. */
const ANSWERED_WITH_503 = ['503', 'shed'];

// That connections are cut in the middle of transactions is of lost-sessions.
describe('a service whose PostgreSQL server fails under load', () => {
  it.each<[string, (server: OwnPostgres) => Promise<void>, (server: OwnPostgres) => Promise<void>]>([
    ['is stopped', (server) => server.stop('fast'), (server) => server.start()],
    ['crashes', (server) => server.stop('immediate'), (server) => server.start()],
    ['is frozen', (server) => server.freeze(), (server) => server.thaw()],
  ])('answers 503 while it %s, loses nothing that it acknowledged and serves again by itself', async (name, fail, restore) => {
    const server = await startOwnPostgres();
    const system = await createSystem(async () => server);
    await system.launch().listening;
    const clients = new RecordingClients(CLIENTS, { origin: system.origin, key: system.key, random });
    for (let round = 0; round < ROUNDS; round += 1) {
      await clients.acknowledgeMore(20);
      await fail(server);
      const refused = clients.unavailable + REFUSED_IN_AN_OUTAGE;
      await until(
        () => clients.unavailable >= refused,
        () => `${clients.unavailable} of ${refused} refused`,
      );
      await restore(server);
    }
    await clients.acknowledgeMore(20);
    const history = await clients.stop();
    expectNoViolations(`PostgreSQL ${name}`, checkHistory(history, await finalStateOf(system)), system, history);
    // The service runs all the time, so it answers everything.
    expect(history.adds.filter(({ outcome }) => outcome.kind === 'unknown' && !ANSWERED_WITH_503.includes(outcome.reason))).toEqual([]);
  });
});
