import { QueryBus } from '@nestjs/cqrs';
import { Args, ID, Query, Resolver } from '@nestjs/graphql';
import { readId } from '#libs/api-kit';
import { ConnectionRequest, DateTimeScalar, ReadsOnly } from '#libs/graphql-kit';
import { CountInventory } from '../queries/count-inventory.query.js';
import { GetOrder } from '../queries/get-order.query.js';
import { ListOrders } from '../queries/list-orders.query.js';
import { InventoryType, OrderConnection, OrdersArguments, OrderType, toOrderType } from './order.type.js';

/** The orders over GraphQL. */
@Resolver()
export class OrdersResolver {
  constructor(private readonly queries: QueryBus) {}

  @ReadsOnly('orders')
  @Query(() => OrderType, { nullable: true, description: 'One order; null where there is none, or was none at the moment asked for.' })
  async order(
    @Args('id', { type: () => ID, description: 'Identifier of the order.' }) id: string,
    @Args('asOf', {
      type: () => DateTimeScalar,
      nullable: true,
      description: 'Give the order as it was at this moment, that moment included. Without it: as it is.',
    })
    asOf?: Date | null,
  ): Promise<OrderType | null> {
    const order = await this.queries.execute(new GetOrder(readId('id', id), asOf ?? undefined));
    return order ? toOrderType(order, asOf ?? undefined) : null;
  }

  @ReadsOnly('orders')
  @Query(() => OrderConnection, { description: 'The orders of all API keys, ascending by id.' })
  async orders(@Args() { status, petId, placedBy, ...place }: OrdersArguments): Promise<OrderConnection> {
    const request = new ConnectionRequest('orders', place, {
      ...(status && { status }),
      ...(typeof petId === 'string' && { petId: readId('petId', petId) }),
      ...(typeof placedBy === 'string' && { placedBy: readId('placedBy', placedBy) }),
    });
    const page = await this.queries.execute(new ListOrders(request.range));
    return request.connection(
      page,
      (order) => toOrderType(order),
      ({ id }) => id,
    );
  }

  @ReadsOnly('pets')
  @Query(() => InventoryType, { description: 'How many animals have each status.' })
  async inventory(): Promise<InventoryType> {
    return this.queries.execute(new CountInventory());
  }
}
