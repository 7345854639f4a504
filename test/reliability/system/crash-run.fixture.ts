import { setTimeout as delay } from 'node:timers/promises';
import { finalStateOf } from '../history/final-state.fixture.js';
import { RecordingClients } from '../history/history-client.fixture.js';
import type { FinalState, History } from '../history/history.js';
import { random, randomBetween } from './run-form.js';
import type { SystemUnderTest } from './system-under-test.fixture.js';

const CLIENTS = 8;
const PATIENCE_MILLISECONDS = 10_000;

export interface CrashRun {
  readonly kills: number;
  /** The folder of a copy of the project to run in its place until the last start. */
  readonly root?: string;
}

/** Kills the service again and again while clients use it, starts it once more, and looks at what is there. */
export async function crash(system: SystemUnderTest, { kills, root }: CrashRun): Promise<{ history: History; state: FinalState }> {
  const clients = new RecordingClients(CLIENTS, { origin: system.origin, key: system.key, random });
  for (let kill = 0; kill < kills; kill += 1) await launchAndKill(system, clients, root);
  await system.launch().listening;
  const history = await clients.stop();
  return { history, state: await finalStateOf(system) };
}

/** One in five does not live until it serves; the others die at any moment after some animals were acknowledged. */
async function launchAndKill(system: SystemUnderTest, clients: RecordingClients, root?: string): Promise<void> {
  const service = system.launch(root);
  service.listening.catch(() => undefined);
  if (random() < 0.2) {
    await delay(randomBetween(0, 1_000));
  } else {
    await service.listening;
    const enough = clients.acknowledged + randomBetween(1, 300);
    const deadline = performance.now() + PATIENCE_MILLISECONDS;
    while (clients.acknowledged < enough && performance.now() < deadline) await delay(1);
    await delay(randomBetween(0, 5));
  }
  await service.stop('SIGKILL');
}
