import { domainModule } from '#libs/http';
import { orderErrors } from './domain/order.errors.js';
import { orderEvents } from './domain/order.events.js';
import { OrdersModule, orderSettings } from './orders.module.js';
import { publishedOrders } from './rest/order.request.js';
import { ordersProjection } from './read-model/orders.projection.js';

export type { OrderEvent } from './domain/order.events.js';

/** The orders by which animals are adopted. */
export const orders = domainModule({
  name: 'orders',
  settings: orderSettings,
  configuredModule: ({ settings }) => OrdersModule.forRoot(settings),
  events: orderEvents,
  publishes: [publishedOrders],
  projections: [ordersProjection],
  scopes: {
    orders: { description: "orders of one's own and the inventory under `/v1/store`" },
    'orders:all': { description: "all of `orders`, everybody's orders, and approving and delivering them", includes: ['orders'] },
  },
  errors: orderErrors,
  documentTag: { title: 'Orders', description: 'Orders by which animals are adopted, and what the store has.' },
});
