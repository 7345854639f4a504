import { Controller, Get, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import {
  addTotalCount,
  CacheByProjection,
  filteredRangeOf,
  IfMatch,
  linkNextPage,
  Operation,
  ReadBody,
  ReadId,
  ReadQuery,
  totalCountHeader,
  type Precondition,
  NoInput,
} from '#libs/http';
import type { EventMetadata, RequestIdempotency } from '#libs/event-sourcing';
import { CallerMetadata, CurrentCaller, IdempotencyKey, RequiresScope, type Caller } from '../../auth/index.js';
import { TransitionOrder } from '../commands/transition-order.command.js';
import { PlaceOrder, type NewOrderValues } from '../commands/place-order.command.js';
import { OrderNotFoundError } from '../domain/order.errors.js';
import { toOrder, type Order } from '../domain/order.js';
import { CountOrders, GetOrder, ListOrders, orderFilters, readInventory, type Inventory } from '../queries/orders.query.js';
import {
  ListOrdersRequest,
  newOrderBody,
  orderCancellationBody,
  orderExample,
  orderTransitionBody,
  TransitionRoute,
  orderSchema,
  ordersSchema,
  inventorySchema,
} from './order.request.js';

const ORDER_ID = 'The id of the order.';

/** The orders over REST. */
@ApiTags('orders')
@RequiresScope('orders')
@Controller('store/orders')
export class OrdersController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @CacheByProjection({ readModel: 'orders', perKey: true })
  @Operation({
    clientSample: 'for await (const order of client.orders.list()) console.log(order);',
    summary: 'List orders',
    description:
      "One page of the orders of this API key; of everybody's with the scope `orders:all`. They ascend by id, with a filter by time by that time, " +
      'unless `order` says otherwise. Following the `next` links returns every order exactly once, even while others are placed.',
    answer: {
      description: 'The page.',
      schema: ordersSchema,
      examples: { page: { value: [orderExample] }, empty: { value: [] } },
      headers: totalCountHeader,
    },
  })
  async listOrders(
    @ReadQuery(ListOrdersRequest) request: ListOrdersRequest,
    @CurrentCaller() caller: Caller,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Order[]> {
    const owner = visibleOwner(caller);
    const asked = filteredRangeOf(orderFilters, request);
    const range = { ...asked, filters: { ...asked.filters, placedByIn: owner === undefined ? undefined : [owner] } };
    const { items, next } = await this.queries.execute(new ListOrders(range));
    await addTotalCount(reply, request, () => this.queries.execute(new CountOrders(range)));
    linkNextPage(reply, request, next);
    return items.map(toOrder);
  }

  @Post()
  @Operation({
    clientSample: 'console.log(await client.orders.place({ petId: 17n }));',
    summary: 'Order an animal',
    description:
      'Reserves an animal that is available, until `expiresAt` unless the store approves the order before. ' +
      'With an Idempotency-Key the request can be repeated without a second order.',
    answer: { tagged: true, description: 'The order that was placed.', schema: orderSchema, examples: { order: { value: orderExample } } },
    refuses: [404, 409],
  })
  async placeOrder(
    @ReadBody(newOrderBody) values: NewOrderValues,
    @CurrentCaller() { keyId }: Caller,
    @CallerMetadata() metadata: EventMetadata,
    @IdempotencyKey() idempotency: RequestIdempotency | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Order> {
    const { order, replayed } = await this.commands.execute(new PlaceOrder(values, keyId, metadata, idempotency));
    reply.header('Location', `/v1/store/orders/${order.id}`);
    if (replayed) reply.header('Idempotency-Replayed', 'true');
    return toOrder(order);
  }

  @Get(':orderId')
  @CacheByProjection({ readModel: 'orders', perKey: true })
  @Operation({
    clientSample: 'console.log(await client.orders.get(1n));',
    summary: 'Get an order',
    description: 'An order of another API key is not found, but with the scope `orders:all`.',
    answer: { description: 'The order.', schema: orderSchema, examples: { order: { value: orderExample } } },
    refuses: [404],
  })
  async getOrder(@ReadId('orderId', ORDER_ID) id: bigint, @CurrentCaller() caller: Caller): Promise<Order> {
    const order = await this.queries.execute(new GetOrder(id));
    const owner = visibleOwner(caller);
    if (!order || (owner !== undefined && order.placedBy !== owner)) throw new OrderNotFoundError(id);
    return toOrder(order);
  }

  @TransitionRoute('approve', {
    summary: 'Approve an order',
    description: 'The store keeps the animal for who has ordered it: the order no longer expires. An approved order stays as it is.',
  })
  approveOrder(
    @ReadId('orderId', ORDER_ID) id: bigint,
    @ReadBody(orderTransitionBody) _nothing: object,
    @CurrentCaller() caller: Caller,
    @CallerMetadata() metadata: EventMetadata,
    @IfMatch() precondition: Precondition | undefined,
  ): Promise<Order> {
    return this.change(new TransitionOrder('approve', { id }, metadata, { ownedBy: visibleOwner(caller), precondition }));
  }

  @TransitionRoute('deliver', {
    summary: 'Deliver an order',
    description: 'The animal of an approved order is handed over: it is sold. A delivered order stays as it is.',
    version: 3,
  })
  deliverOrder(
    @ReadId('orderId', ORDER_ID) id: bigint,
    @ReadBody(orderTransitionBody) _nothing: object,
    @CurrentCaller() caller: Caller,
    @CallerMetadata() metadata: EventMetadata,
    @IfMatch() precondition: Precondition | undefined,
  ): Promise<Order> {
    return this.change(new TransitionOrder('deliver', { id }, metadata, { ownedBy: visibleOwner(caller), precondition }));
  }

  @TransitionRoute('cancel', {
    summary: 'Cancel an order',
    description: 'The animal of an order that is not delivered yet becomes available again. A cancelled order stays as it is.',
    sampleInput: ', { reason: "We have found a dog elsewhere." }',
  })
  cancelOrder(
    @ReadId('orderId', ORDER_ID) id: bigint,
    @ReadBody(orderCancellationBody) { reason }: { readonly reason?: unknown },
    @CurrentCaller() caller: Caller,
    @CallerMetadata() metadata: EventMetadata,
    @IfMatch() precondition: Precondition | undefined,
  ): Promise<Order> {
    return this.change(new TransitionOrder('cancel', { id, reason }, metadata, { ownedBy: visibleOwner(caller), precondition }));
  }

  private async change(command: TransitionOrder): Promise<Order> {
    return toOrder((await this.commands.execute(command)).order);
  }
}

/** Returns the API key whose orders the caller may see; undefined for all. */
function visibleOwner({ keyId, scopes }: Caller): bigint | undefined {
  return scopes.includes('orders:all') ? undefined : keyId;
}

/** The inventory over REST. */
@ApiTags('orders')
@RequiresScope('orders')
@Controller('store/inventory')
export class InventoryController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @NoInput()
  @CacheByProjection({ readModel: 'pets' })
  @Operation({
    clientSample: 'console.log(await client.orders.inventory());',
    summary: 'Count the animals',
    description: 'How many animals have each status, exactly.',
    answer: {
      description: 'The counts.',
      schema: inventorySchema,
      examples: { inventory: { value: { available: 12, pending: 3, sold: 40, unset: 0 } } },
    },
  })
  async getInventory(): Promise<Inventory> {
    return readInventory(this.queries);
  }
}
