import { listEventTypes } from '#libs/event-sourcing';
import { UnjudgedError } from '#libs/testing';
import { orderEvents } from '../../src/orders/domain/order.events.js';
import type { Seen } from './history/history.js';
import { crash } from './system/crash-run.fixture.js';
import { IS_LONG } from './system/run-form.js';
import { createSystem, DATABASES, expectNoViolations } from './system/system-under-test.fixture.js';

const KILLS = IS_LONG ? 50 : 3;
const TIMEOUT = IS_LONG ? 1_200_000 : 300_000;
// A second and a half, so that some orders expire while others are placed.
const SHORT_RESERVATION = { ORDER_RESERVATION_MINUTES: '0.025' };

const isCutOff = ({ outcome }: Seen) => outcome.kind === 'unknown';
const isReplayed = ({ outcome }: Seen) => outcome.kind === 'answered' && outcome.replayed;

describe.each(DATABASES)('a service on %s that is killed while clients add and order animals', (name, createDatabase) => {
  it(
    'keeps every acknowledged animal and order exactly once, in order, and nothing that it refused',
    async () => {
      const system = await createSystem(createDatabase, SHORT_RESERVATION);
      const crashed = await crash(system, KILLS);
      const { history, state, findings } = crashed;
      expectNoViolations(`crash on ${name}`, findings, system, crashed);
      // A run in which nothing was cut off would show nothing.
      const seen = [history.adds.some(isCutOff), history.adds.some(isReplayed), history.orders.some(isCutOff)];
      const types = new Set(state.events.map(({ type }) => type));
      const missing = listEventTypes(orderEvents).filter((type) => !types.has(type));
      if (seen.includes(false) || missing.length > 0) {
        throw new UnjudgedError(`Cut off, replayed, an order cut off: ${seen.join()}; no event of ${missing.join()}.`);
      }
    },
    TIMEOUT,
  );
});
