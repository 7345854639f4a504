import { column, optional, streamProjection } from '#libs/event-sourcing';
import { orderDecider } from '../domain/order.decider.js';
import { orderEvents, type OrderEvent } from '../domain/order.events.js';
import type { OrderDetails, OrderStatus } from '../domain/order.js';

/** The columns of an order, and how events change them. */
export const orderRows = {
  events: orderEvents,
  columns: {
    petId: column.int64(),
    status: column.text<OrderStatus>(),
    note: optional(column.text()),
    placedAt: column.time(),
    expiresAt: column.time(),
    placedBy: column.int64(),
  },
  evolve(order: OrderDetails | undefined, event: OrderEvent): OrderDetails | undefined {
    const state = orderDecider.evolve(order ? { kind: 'present', ...order } : orderDecider.initialState, event);
    return state.kind === 'none' ? undefined : state;
  },
};

/** All orders, one row each. */
export const ordersProjection = streamProjection({
  name: 'orders',
  version: 1,
  ...orderRows,
  indexes: [
    ['placedBy', 'id'],
    ['petId', 'id'],
    ['status', 'id'],
    ['status', 'expiresAt'],
  ],
});
