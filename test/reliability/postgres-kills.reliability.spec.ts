import { setTimeout as delay } from 'node:timers/promises';
import { startOwnPostgres, type OwnPostgres } from '../databases/own-postgres.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { launchBuiltService } from '../e2e/built-service.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { RecordingClients } from './history/history-client.fixture.js';
import { report } from './system/figures.js';
import { plantedBug } from './system/planted-bug.fixture.js';
import { IS_LONG, random, randomBetween } from './system/run-form.js';
import { ShownFacts } from './system/shown-facts.fixture.js';
import { createSystem, PATIENT, type SystemUnderTest } from './system/system-under-test.fixture.js';

const KILLS = IS_LONG ? 200 : 25;
/** As many as a bug is found with, over and over. */
const KILLS_OF_A_BUG = 10;
const CLIENTS = 4;
/** A disk that takes long, so that many a kill strikes between a commit and its sync, and a server that syncs nothing unasked. */
const SLOW_DISK = { commit_delay: '20000', commit_siblings: '0', wal_writer_delay: '10s' };

interface Endured {
  readonly violations: readonly string[];
  readonly acknowledged: number;
  readonly shown: number;
}

describe('two instances whose PostgreSQL server is killed', () => {
  let server: OwnPostgres;
  let system: SystemUnderTest;
  beforeEach(async () => {
    server = await startOwnPostgres(SLOW_DISK);
    system = await createSystem(async () => server, PATIENT);
  });

  /** Kills the server again and again while both instances are written to and read. */
  const endure = async (kills: number, bug: Readonly<Record<string, string>> = {}): Promise<Endured> => {
    const { key } = system;
    const services = await Promise.all([
      system.launch(bug).listening,
      launchBuiltService(system.folder, { DATABASE_URL: system.databaseUrl, LOG_LEVEL: 'warn', ...PATIENT, ...bug }).listening,
    ]);
    const load = services.map(({ origin }, index) => new RecordingClients(CLIENTS, { origin, key, random, prefix: `${index + 1}-` }));
    const observers = services.map(({ origin }) => new ApiClient(origin, key));
    const shown = new ShownFacts(observers);
    for (let kill = 0; kill < kills; kill += 1) {
      await Promise.all(load.map((clients) => clients.acknowledgeMore(randomBetween(1, 10))));
      await delay(randomBetween(0, 40));
      await server.kill();
      await server.start();
    }
    await Promise.all(load.map((clients) => clients.acknowledgeMore(5)));
    const histories = await Promise.all(load.map((clients) => clients.stop()));
    const history = { adds: histories.flatMap(({ adds }) => adds), reads: histories.flatMap(({ reads }) => reads) };
    const { count } = shown;
    const vanished = await shown.findVanished(observers[0] ?? new ApiClient(system.origin, key));
    return {
      violations: [...vanished, ...checkHistory(history, await finalStateOf(system))],
      acknowledged: load.reduce((sum, { acknowledged }) => sum + acknowledged, 0),
      shown: count,
    };
  };

  it(
    'lose nothing that was acknowledged, and nothing that anybody was shown',
    async () => {
      const { violations, ...figures } = await endure(KILLS);
      report('PostgreSQL killed', { kills: KILLS, ...figures });
      expect(violations).toEqual([]);
    },
    IS_LONG ? 3_600_000 : 900_000,
  );

  it.each([
    ['lose what was acknowledged if an acknowledgement does not wait for the disk', 'answers-before-the-sync', /acknowledged/],
    ['lose what was shown if a read does not wait for the disk', 'shows-what-is-not-synced', /was shown as/],
  ])('are seen to %s', async (_, bug, finding) => {
    const { violations } = await endure(KILLS_OF_A_BUG, plantedBug(bug));
    expect(violations.join('\n')).toMatch(finding);
  });
});
