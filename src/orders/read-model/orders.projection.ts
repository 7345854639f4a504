import { column, optional, streamProjection } from '#libs/event-sourcing';
import { evolveOrder } from '../domain/order.decider.js';
import { orderEvents } from '../domain/order.events.js';
import type { OrderStatus } from '../domain/order.js';

/** The columns of an order, and how events change them. */
export const orderRows = {
  events: orderEvents,
  columns: {
    petId: column.int64(),
    status: column.text<OrderStatus>(),
    note: optional(column.text()),
    placedAt: column.time(),
    expiresAt: optional(column.time()),
    endedAt: optional(column.time()),
    placedBy: column.int64(),
  },
  evolve: evolveOrder,
};

/** All orders, one row each. */
export const ordersProjection = streamProjection({
  name: 'orders',
  version: 2,
  ...orderRows,
  indexes: [
    ['placedBy', 'id'],
    ['petId', 'id'],
    ['status', 'id'],
    ['status', 'expiresAt'],
  ],
});
