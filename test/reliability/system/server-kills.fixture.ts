import { setTimeout as delay } from 'node:timers/promises';
import type { OwnPostgres } from '../../databases/own-postgres.fixture.js';
import { ApiClient } from '../../e2e/api-client.fixture.js';
import { checkHistory } from '../history/check-history.js';
import { finalStateOf } from '../history/final-state.fixture.js';
import { stopAll } from '../history/clients.fixture.js';
import type { History } from '../history/history.js';
import { RecordingClients } from '../history/recording-clients.fixture.js';
import { randomBetween } from './run-form.js';
import { ShownFacts } from './shown-facts.fixture.js';
import type { SystemUnderTest } from './system-under-test.fixture.js';

const CLIENTS = 4;

/** A disk that takes long, so that many a kill strikes between a commit and its sync, and a server that syncs nothing unasked. */
export const SLOW_DISK = { commit_delay: '20000', commit_siblings: '0', wal_writer_delay: '10s' };

/** Kills the server again and again while two instances are written to and read. */
export async function killServer(
  system: SystemUnderTest,
  server: OwnPostgres,
  kills: number,
  bug: Readonly<Record<string, string>> = {},
): Promise<{ readonly violations: readonly string[]; readonly history: History }> {
  const { key } = system;
  const services = await Promise.all([system.launch(bug).listening, system.launchBeside(bug).listening]);
  const load = services.map(({ origin }, index) => new RecordingClients(CLIENTS, { origin, key, prefix: `${index + 1}-` }));
  const shown = new ShownFacts(services.map(({ origin }) => new ApiClient(origin, key)));
  for (let kill = 0; kill < kills; kill += 1) {
    await Promise.all(load.map((clients) => clients.acknowledgeMore(randomBetween(1, 10))));
    await delay(randomBetween(0, 40));
    await server.kill();
    await server.start();
  }
  await Promise.all(load.map((clients) => clients.acknowledgeMore(5)));
  const history = await stopAll(load);
  const vanished = await shown.findVanished(new ApiClient(system.origin, key));
  return { violations: [...vanished, ...checkHistory(history, await finalStateOf(system))], history };
}
