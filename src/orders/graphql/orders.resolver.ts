import { readId } from '#libs/http';
import { ConnectionRequest, DateTimeScalar, ReadsOnly, GroupedLoader, ConnectionArguments } from '#libs/graphql';
import type { Page } from '#libs/event-sourcing';
import { QueryBus } from '@nestjs/cqrs';
import { Args, ID, Query, Resolver, Context, Parent, ResolveField } from '@nestjs/graphql';
import { EventType, HistoryArguments, StreamHistories } from '../../events/index.js';
import { FindPets, PetType, toPetType, type PetSnapshot } from '../../pets/index.js';
import { orderStream, type OrderSnapshot } from '../domain/order.js';
import { CountInventory, FindOrdersOfPets, type OrdersOfPetsRange, GetOrder, ListOrders } from '../queries/orders.query.js';
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

/** Fields of an order that are read only if requested. */
@Resolver(() => OrderType)
export class OrderFieldsResolver {
  private readonly pets: GroupedLoader<{ readonly asOf?: Date }, bigint, PetSnapshot>;
  private readonly histories: StreamHistories;

  constructor(queries: QueryBus) {
    this.pets = new GroupedLoader((ids, { asOf }) => queries.execute(new FindPets(ids, asOf)));
    this.histories = new StreamHistories(queries);
  }

  @ReadsOnly('pets')
  @ResolveField(() => PetType, { nullable: true, description: 'The animal; null once it is withdrawn.' })
  async pet(@Parent() { petId, asOf }: OrderType, @Context('req') request: object): Promise<PetType | null> {
    const pet = await this.pets.load(request, petId, asOf ? { asOf } : {});
    return pet ? toPetType(pet, asOf) : null;
  }

  @ResolveField(() => [EventType], { description: 'What happened to the order so far, in order; a page of it.' })
  async history(
    @Parent() { id, asOf }: OrderType,
    @Args() page: HistoryArguments,
    @Context('req') request: object,
  ): Promise<readonly EventType[]> {
    return this.histories.of(request, orderStream(BigInt(id)), page, asOf);
  }
}

/** Adds the orders to an animal. */
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
