import { listEventTypes } from '#libs/event-sourcing';
import { orderEvents } from '../../src/orders/domain/order.events.js';
import { checkHistory } from './history/check-history.js';
import { checkOrders } from './history/check-orders.js';
import type { StoredEvent } from './history/history.js';
import { crash, type Crashed } from './system/crash-run.fixture.js';
import { report } from './system/figures.js';
import { plantedBug } from './system/planted-bug.fixture.js';
import { IS_LONG } from './system/run-form.js';
import { createSystem, DATABASES, type SystemUnderTest } from './system/system-under-test.fixture.js';

const KILLS = IS_LONG ? 50 : 4;
const KILLS_OF_A_BUG = 3;
const TIMEOUT = IS_LONG ? 1_200_000 : 300_000;
// A second and a half, so that some orders expire while others are placed.
const SHORT_RESERVATION = { ORDER_RESERVATION_MINUTES: '0.025' };

/** What the checks say of each planted bug. One database is enough where the bug is not in what belongs to one. */
const BUGS: readonly (readonly [bug: string, databases: string, finding: RegExp])[] = [
  ['acknowledges-early', 'SQLite and PostgreSQL', /was acknowledged with id \d+ and is not in the log|after its acknowledgement/],
  ['drops-projection-updates', 'SQLite', /the log has .* and the table has not[^]*events verify: projection pets/],
  ['forgets-idempotency-keys', 'SQLite', /is in the log 2 times/],
  ['reserves-in-a-second-append', 'SQLite', /order-placed of order \d+ .* is not followed by animal \d+ becoming pending/],
];

/** How many events there are of each type that orders have. */
function countsOfOrderEvents(events: readonly StoredEvent[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { stream, type } of events) if (stream.startsWith('order-')) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

function findingsOf({ history, ordered, state, orders }: Crashed): string[] {
  return [...checkHistory(history, state), ...checkOrders(ordered, state, orders)];
}

describe.each(DATABASES)('a service on %s that is killed while clients add and order animals', (name, createDatabase) => {
  let system: SystemUnderTest;
  beforeEach(async () => (system = await createSystem(createDatabase, SHORT_RESERVATION)));

  it(
    'keeps every acknowledged animal and order exactly once, in order, and nothing that it refused',
    async () => {
      const crashed = await crash(system, KILLS);
      const { history, ordered, state } = crashed;
      const unknown = history.adds.filter(({ outcome }) => outcome.kind === 'unknown').length;
      const acknowledged = history.adds.filter(({ outcome }) => outcome.kind === 'answered' && outcome.status === 201);
      const replayed = acknowledged.filter(({ outcome }) => outcome.kind === 'answered' && outcome.replayed).length;
      report(`crash on ${name}`, {
        kills: KILLS,
        requests: history.adds.length + history.reads.length,
        acknowledged: acknowledged.length,
        replayed,
        'outcome unknown': unknown,
        events: state.events.length,
        'requests of orders': ordered.orders.length + ordered.moves.length,
        'orders by what became of them': JSON.stringify(countsOfOrderEvents(state.events)),
      });
      expect(findingsOf(crashed)).toEqual([]);
      // A run in which nothing was cut off would show nothing.
      expect(unknown).toBeGreaterThan(0);
      expect(replayed).toBeGreaterThan(0);
      expect(ordered.orders.some(({ outcome }) => outcome.kind === 'unknown')).toBe(true);
      expect(Object.keys(countsOfOrderEvents(state.events)).sort()).toEqual(listEventTypes(orderEvents).toSorted());
    },
    TIMEOUT,
  );

  it.each(BUGS.filter(([, databases]) => databases.includes(name)))(
    'is found out with the planted bug %s',
    async (bug, _, finding) => {
      const findings = findingsOf(await crash(system, KILLS_OF_A_BUG, plantedBug(bug)));
      expect(findings.join('\n')).toMatch(finding);
    },
    TIMEOUT,
  );
});
