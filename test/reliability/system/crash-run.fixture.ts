import { setTimeout as delay } from 'node:timers/promises';
import type { LaunchedService } from '../../e2e/built-service.fixture.js';
import { finalOrdersOf } from '../history/final-orders.fixture.js';
import { finalStateOf, queryDatabase } from '../history/final-state.fixture.js';
import { RecordingClients } from '../history/history-client.fixture.js';
import type { FinalState, History } from '../history/history.js';
import type { FinalOrders, OrderHistory } from '../history/order-history.js';
import { OrderingClients } from '../history/ordering-clients.fixture.js';
import { random, randomBetween } from './run-form.js';
import type { SystemUnderTest } from './system-under-test.fixture.js';

const CLIENTS = 8;
const ORDERING_CLIENTS = 8;
const PATIENCE_MILLISECONDS = 10_000;
// So many that some of them are repeated, and that orders are placed meanwhile.
const ENOUGH_TO_SHOW = 150;

type Variables = Readonly<Record<string, string>>;

/** What clients saw while the service was killed, and what was there afterwards. */
export interface Crashed {
  readonly history: History;
  readonly ordered: OrderHistory;
  readonly state: FinalState;
  readonly orders: FinalOrders;
}

/** Kills the service again and again while clients use it, starts it once more without `environment`, and looks at what is there. */
export async function crash(system: SystemUnderTest, kills: number, environment: Variables = {}): Promise<Crashed> {
  const traffic = { origin: system.origin, key: system.key, random };
  const clients = new RecordingClients(CLIENTS, traffic);
  const ordering = new OrderingClients(ORDERING_CLIENTS, { ...traffic, prefix: 'ordered ' });
  for (let kill = 1; kill <= kills; kill += 1) await launchAndKill(system.launch(environment), clients, kill === kills);
  await system.launch().listening;
  const [{ adds, reads }, ordered] = await Promise.all([clients.stop(), ordering.stop()]);
  return { history: { adds: [...adds, ...ordered.adds], reads }, ordered, ...(await stateAtRest(system)) };
}

/** Looks until nothing is written meanwhile: reservations that nobody uses any more end by themselves. */
async function stateAtRest(system: SystemUnderTest): Promise<Pick<Crashed, 'state' | 'orders'>> {
  for (;;) {
    const state = await finalStateOf(system);
    const orders = await finalOrdersOf(system);
    const [newest] = await queryDatabase<{ position: bigint | string }>(
      system.databaseUrl,
      'SELECT max("position") AS "position" FROM "events"',
    );
    if (BigInt(newest?.position ?? 0) === state.events.at(-1)?.position) return { state, orders };
  }
}

/** One in five does not live until it serves; the others die at any moment after some animals were acknowledged, the last after many. */
async function launchAndKill(service: LaunchedService, clients: RecordingClients, isLast: boolean): Promise<void> {
  service.listening.catch(() => undefined);
  if (!isLast && random() < 0.2) {
    await delay(randomBetween(0, 1_000));
  } else {
    await service.listening;
    const enough = clients.acknowledged + randomBetween(isLast ? ENOUGH_TO_SHOW : 1, 300);
    const deadline = performance.now() + PATIENCE_MILLISECONDS;
    while (clients.acknowledged < enough && performance.now() < deadline) await delay(1);
    await delay(randomBetween(0, 5));
  }
  await service.stop('SIGKILL');
}
