import { DailyCounts, filter, streamProjection, type FilterValues } from '#libs/event-sourcing';
import { orderDecider } from '../domain/order.decider.js';
import { orderEvents } from '../domain/order.events.js';
import { OPEN_STATUSES, ORDER_STATUSES, type OrderSnapshot } from '../domain/order.js';
import { OrderDailyCount, OrderRow } from './order.entity.js';

export const orderDailyCounts = new DailyCounts<OrderSnapshot>(OrderDailyCount, { status: ({ status }) => status });

/** All orders, one row each, and the counts of them. */
export const ordersProjection = streamProjection({
  entity: OrderRow,
  version: 4,
  events: orderEvents,
  evolve(before, event) {
    const order = orderDecider.evolve(before, event);
    const isOpen = order && OPEN_STATUSES.includes(order.status);
    return order && { ...order, endedAt: isOpen ? undefined : (before?.endedAt ?? event.recordedAt) };
  },
  further: [orderDailyCounts],
});

/** How the list of orders can be narrowed. */
export const orderFilters = {
  ids: filter.ids('id', { description: 'Only the orders with these ids.' }),
  statusIn: filter.words('status', ORDER_STATUSES, { parameter: 'status', description: 'Only orders with one of these statuses.' }),
  petIn: filter.ids('petId', { parameter: 'petId', description: 'Only orders for these animals.' }),
  placedByIn: filter.ids('placedBy', { description: 'Only orders that these API keys placed.' }),
  placedSince: filter.since('placedAt', { parameter: 'placedSince', description: 'Only orders that were placed at this moment or later.' }),
  placedBefore: filter.before('placedAt', { parameter: 'placedBefore', description: 'Only orders that were placed before this moment.' }),
};

export type OrderFilters = FilterValues<typeof orderFilters>;
