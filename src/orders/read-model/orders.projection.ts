import { column, optional, streamProjection } from '#libs/event-sourcing';
import { orderDecider } from '../domain/order.decider.js';
import { orderEvents } from '../domain/order.events.js';
import type { OrderStatus } from '../domain/order.js';

/** All orders, one row each. */
export const ordersProjection = streamProjection({
  name: 'orders',
  version: 1,
  events: orderEvents,
  columns: {
    petId: column.int64(),
    status: column.text<OrderStatus>(),
    note: optional(column.text()),
    placedAt: column.time(),
    expiresAt: column.time(),
    placedBy: column.int64(),
  },
  indexes: [
    ['placedBy', 'id'],
    ['petId', 'id'],
    ['status', 'id'],
    ['status', 'expiresAt'],
  ],
  evolve(order, event) {
    const state = orderDecider.evolve(order ? { kind: 'present', ...order } : orderDecider.initialState, event);
    return state.kind === 'none' ? undefined : state;
  },
});
