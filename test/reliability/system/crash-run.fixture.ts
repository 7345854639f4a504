import { setTimeout as delay } from 'node:timers/promises';
import { systemTimers } from '#libs/observability';
import type { LaunchedService } from '../../e2e/built-service.fixture.js';
import { checkHistory } from '../history/check-history.js';
import { stopAll } from '../history/clients.fixture.js';
import { finalStateOf, queryDatabase } from '../history/final-state.fixture.js';
import type { FinalState, History } from '../history/history.js';
import { OrderingClients } from '../history/ordering-clients.fixture.js';
import { RecordingClients } from '../history/recording-clients.fixture.js';
import { random, randomBetween } from './run-form.js';
import type { SystemUnderTest } from './system-under-test.fixture.js';

const CLIENTS = 8;
const PATIENCE_MILLISECONDS = 10_000;
// So many that some of them are repeated, and that orders are placed meanwhile.
const ENOUGH_TO_SHOW = 150;

/** What clients saw while the service was killed, and what was there afterwards. */
export interface Crashed {
  readonly history: Required<History>;
  readonly state: FinalState;
  readonly findings: readonly string[];
}

/** Kills the service again and again while clients use it, starts it once more without `environment`, and looks at what is there. */
export async function crash(system: SystemUnderTest, kills: number, environment: Readonly<Record<string, string>> = {}): Promise<Crashed> {
  const clients = new RecordingClients(CLIENTS, system);
  const ordering = new OrderingClients(CLIENTS, { ...system, prefix: 'ordered ' });
  for (let kill = 1; kill <= kills; kill += 1) await launchAndKill(system.launch(environment), clients, kill === kills);
  await system.launch().listening;
  const history = await stopAll([clients, ordering]);
  const state = await stateAtRest(system);
  return { history, state, findings: checkHistory(history, state) };
}

/** Looks until nothing is written meanwhile, since reservations that nobody uses any more end by themselves. */
export async function stateAtRest(system: SystemUnderTest): Promise<FinalState> {
  const newest = `SELECT max("position") AS "position" FROM "events"`;
  for (;;) {
    const state = await finalStateOf(system);
    const [row] = await queryDatabase<{ position: bigint | string }>(system.databaseUrl, newest);
    if (BigInt(row?.position ?? 0) === state.events.at(-1)?.position) return state;
  }
}

/** One in five does not live until it serves; the others die at any moment after some animals were acknowledged, the last after many. */
async function launchAndKill(service: LaunchedService, clients: RecordingClients, isLast: boolean): Promise<void> {
  service.listening.catch(() => undefined);
  if (!isLast && random() < 0.2) {
    await delay(randomBetween(0, 1_000));
  } else {
    await service.listening;
    const enough = clients.acknowledgeMore(randomBetween(isLast ? ENOUGH_TO_SHOW : 1, 300));
    // A service with a bug may acknowledge nothing more, and is killed all the same.
    await systemTimers.within(enough, PATIENCE_MILLISECONDS);
    await delay(randomBetween(0, 5));
  }
  await service.stop('SIGKILL');
}
