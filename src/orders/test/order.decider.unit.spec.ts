import fc from 'fast-check';
import type { RecordedEvent } from '#libs/event-sourcing';
import { withNewerEvents } from '#libs/testing';
import type { OrderEvent } from '../domain/order.events.js';
import { ordersProjection } from '../read-model/orders.projection.js';

const at = (milliseconds: number) => new Date(Date.UTC(2026, 0, 1) + milliseconds);

const events: readonly (OrderEvent & { readonly recordedAt: Date })[] = [
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
      const recorded = newer.map((event, index) => ({ ...event, stream: 'order-1', version: index + 1 }) as RecordedEvent<OrderEvent>);
      const order = ordersProjection.fold(recorded);
      expect(order).toMatchObject({ id: 1n, status: 'delivered', petId: 17n, placedBy: 7n, endedAt: at(2), version: newer.length });
      expect(order?.expiresAt).toBeUndefined();
    }),
  );
});
