import fc from 'fast-check';
import { withNewerEvents } from '#libs/testing';
import { foldOrder, type TimedOrderEvent } from '../domain/order.decider.js';

const at = (milliseconds: number) => new Date(Date.UTC(2026, 0, 1) + milliseconds);

const events: readonly TimedOrderEvent[] = [
  {
    recordedAt: at(0),
    type: 'order-placed',
    data: { petId: '17', placedBy: '7', note: 'On Saturday.', placedAt: at(0).toISOString(), expiresAt: at(100).toISOString() },
  },
  { recordedAt: at(1), type: 'order-approved', data: {} },
  { recordedAt: at(2), type: 'order-delivered', data: {} },
];

// Its rules are tested by a model (orders-model.e2e.spec.ts).
it('an order is what its events say, whatever a newer build has written between', () => {
  fc.assert(
    fc.property(withNewerEvents(events), (newer) => {
      expect(foldOrder(1n, newer)).toMatchObject({ status: 'delivered', petId: 17n, placedBy: 7n, endedAt: at(2) });
      expect(foldOrder(1n, newer)?.expiresAt).toBeUndefined();
    }),
  );
});
