import { applyDecorators, Post } from '@nestjs/common';
import {
  filteredPageRequest,
  type DescribedBody,
  defineObject,
  definePage,
  defineSchema,
  timeSchema,
  getInputSchema,
  Operation,
  publicResource,
} from '#libs/http';
import { RequiresScope } from '../../auth/index.js';
import { TransitionOrder } from '../commands/transition-order.command.js';
import { PlaceOrder } from '../commands/place-order.command.js';
import { ORDER_STATUSES, ORDER_CATEGORY, toOrder } from '../domain/order.js';
import { orderTransitions, type OrderTransition } from '../domain/order.transitions.js';
import { orderFilters } from '../queries/orders.query.js';
import { toOrderSnapshot, orderDecider } from '../domain/order.decider.js';

const statusSchema = defineSchema('OrderStatus', {
  type: 'string',
  description: 'Where an order is; `delivered`, `cancelled` and `expired` are final.',
  enum: [...ORDER_STATUSES],
});

export class ListOrdersRequest extends filteredPageRequest(orderFilters) {}

export const orderExample = {
  id: 42,
  petId: 17,
  quantity: 1,
  status: 'placed',
  placedAt: '2026-01-01T00:00:00.000Z',
  expiresAt: '2026-01-02T00:00:00.000Z',
  version: 1,
};

/** The body of a request that places an order. */
export const newOrderBody: DescribedBody = {
  type: PlaceOrder,
  schema: 'NewOrder',
  description: 'An order for one animal.',
  noun: 'a new order',
  examples: { order: { value: { petId: 17 } }, withNote: { value: { petId: 17, quantity: 1, note: 'I come on Saturday.' } } },
};

/** The body, if any, of a request that approves or delivers an order. */
export const orderTransitionBody: DescribedBody = {
  type: TransitionOrder,
  without: ['id', 'reason'],
  optional: true,
  schema: 'OrderTransition',
  description: 'Nothing has to be said.',
  noun: 'this request',
  examples: { nothing: { value: {} } },
};

/** The body, if any, of a request that cancels an order. */
export const orderCancellationBody: DescribedBody = {
  type: TransitionOrder,
  without: ['id'],
  optional: true,
  schema: 'OrderCancellation',
  description: 'Why an order is cancelled.',
  noun: 'the cancellation of an order',
  examples: { reason: { value: { reason: 'We have found a dog elsewhere.' } }, nothing: { value: {} } },
};

const members = getInputSchema(PlaceOrder).properties;

export const orderSchema = defineObject(
  'Order',
  'An order, which reserves an animal. Without a note if none was given.',
  ['id', 'petId', 'quantity', 'status', 'placedAt', 'version'],
  {
    id: { type: 'integer', format: 'int64', minimum: 1, description: 'Assigned by the service when it is placed; never used again.' },
    ...members,
    status: statusSchema,
    placedAt: { ...timeSchema, description: 'When it was placed, in UTC.' },
    expiresAt: {
      ...timeSchema,
      description: 'From when it no longer holds its animal; fixed when it is placed, and absent once the order was approved.',
    },
    version: { type: 'integer', format: 'int64', minimum: 1, description: 'Grows by one with each change.' },
  },
);

/** An approved or delivered order no longer expires. */
function toExample(status: string, version = 1): typeof orderExample | Omit<typeof orderExample, 'expiresAt'> {
  const { expiresAt, ...example } = orderExample;
  return { ...example, ...(['placed', 'cancelled', 'expired'].includes(status) && { expiresAt }), status, version };
}

interface TransitionDescription {
  readonly summary: string;
  readonly description: string;
  /** The version of the order in the example. Default: 2. */
  readonly version?: number;
  /** What follows the id in the sample of the client. */
  readonly sampleInput?: string;
}

/** The route of a transition, open to whom the table of transitions says. */
export function TransitionRoute(
  transition: OrderTransition,
  { version = 2, sampleInput = '', ...texts }: TransitionDescription,
): MethodDecorator {
  const { by, to } = orderTransitions[transition];
  const operation = Operation({
    ...texts,
    clientSample: `console.log(await client.orders.${transition}(1n${sampleInput}));`,
    answer: {
      status: 200,
      tagged: true,
      description: 'The order.',
      schema: orderSchema,
      examples: { order: { value: toExample(to, version) } },
    },
    refuses: [404, 409],
  });
  return applyDecorators(Post(`:orderId/${transition}`), RequiresScope(by === 'owner' ? 'orders' : 'orders:all'), operation);
}

export const ordersSchema = definePage('Orders', orderSchema, 'A page of orders.');

const countOf = (what: string) => ({ type: 'integer', format: 'int64', minimum: 0, description: `Animals that are ${what}.` });

export const inventorySchema = defineObject('Inventory', 'How many animals have each status.', ['available', 'pending', 'sold', 'unset'], {
  available: countOf('available'),
  pending: countOf('reserved, or pending by hand'),
  sold: countOf('adopted'),
  unset: countOf('without a status'),
});

/** Data of public events: the order just after the event. */
export const publishedOrders = publicResource({
  category: ORDER_CATEGORY,
  collection: 'orders',
  schema: orderSchema,
  example: (type) => toExample(type.slice(type.indexOf('.') + 1)),
  decider: orderDecider,
  show: (id, after) => after.state && toOrder(toOrderSnapshot(id, after)),
});
