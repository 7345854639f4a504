import { QueryBus } from '@nestjs/cqrs';
import { Args, Context, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { ConnectionArguments, ConnectionRequest, GroupedLoader, ReadsOnly } from '#libs/graphql-kit';
import type { Page } from '#libs/projections';
import { PetType } from '../../pets/index.js';
import type { OrderSnapshot } from '../domain/order.js';
import { FindOrdersOfPets, type OrdersOfPetsRange } from '../queries/find-orders-of-pets.query.js';
import { OrderConnection, toOrderType } from './order.type.js';

/** What the orders add to an animal. */
@Resolver(() => PetType)
export class PetOrdersResolver {
  private readonly orders: GroupedLoader<OrdersOfPetsRange, bigint, Page<OrderSnapshot>>;

  constructor(queries: QueryBus) {
    this.orders = new GroupedLoader((petIds, range) => queries.execute(new FindOrdersOfPets(petIds, range)));
  }

  @ReadsOnly('orders')
  @ResolveField('orders', () => OrderConnection, { description: 'The orders for the animal, ascending by id.' })
  async ordersOf(
    @Parent() { id, asOf }: PetType,
    @Args() place: ConnectionArguments,
    @Context('req') request: object,
  ): Promise<OrderConnection> {
    const connection = new ConnectionRequest('Pet.orders', place, { petId: BigInt(id) });
    const { petId, ...range } = connection.range;
    const page = await this.orders.load(request, petId, { ...range, ...(asOf && { asOf }) });
    return connection.connection(
      page ?? { items: [], next: undefined },
      (order) => toOrderType(order, asOf),
      (order) => order.id,
    );
  }
}
