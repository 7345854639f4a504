import { publicResource } from '#libs/public-events';
import { toOrderSnapshot, orderDecider } from './domain/order.decider.js';
import { ORDER_CATEGORY, toOrder } from './domain/order.js';
import { orderExample, orderSchema } from './rest/order.request.js';

/** What others are told of orders: each as it was just after what happened. */
export const publishedOrders = publicResource({
  category: ORDER_CATEGORY,
  collection: 'orders',
  schema: orderSchema,
  example: (type) => ({ ...orderExample, status: type.slice(type.indexOf('.') + 1) }),
  decider: orderDecider,
  show: (id, after) => (after.state.kind === 'none' ? undefined : toOrder(toOrderSnapshot(id, after))),
});
