import { streamProjection } from '#libs/event-sourcing';
import { evolveOrder } from '../domain/order.decider.js';
import { orderEvents } from '../domain/order.events.js';
import { OrderRow } from './order.entity.js';

/** All orders, one row each. */
export const ordersProjection = streamProjection({ entity: OrderRow, version: 2, events: orderEvents, evolve: evolveOrder });
