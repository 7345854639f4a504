import { QueryBus } from '@nestjs/cqrs';
import { Args, ArgsType, Context, Field, ID, Int, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import type { Page } from '#libs/event-sourcing';
import {
  ConnectionArguments,
  ConnectionRequest,
  connectionType,
  CountArguments,
  DateTimeScalar,
  enumType,
  EMPTY_PAGE,
  filterType,
  intersectFilters,
  GroupedLoader,
  NodeType,
  readFilter,
  ReadsOnly,
} from '#libs/graphql';
import { readId } from '#libs/http';
import { FindPets, PetType, toPetType, type PetSnapshot } from '../../pets/index.js';
import { ORDER_QUANTITY, orderStream, type OrderSnapshot, type OrderStatus } from '../domain/order.js';
import {
  CountOrders,
  CountOrdersOfPets,
  FindOrdersOfPets,
  GetOrder,
  ListOrderCounts,
  ListOrders,
  orderFilters,
  readInventory,
  type OrdersOfPetsRange,
} from '../queries/orders.query.js';

const OrderStatusType = enumType<OrderStatus>('OrderStatus', 'Where an order is.', {
  placed: 'It reserves its animal until it expires.',
  approved: 'The store keeps the animal for it; it no longer expires.',
  delivered: 'The animal was handed over. Final.',
  cancelled: 'It was given up, or its animal was withdrawn. Final.',
  expired: 'Nobody approved it in time. Final.',
});

@ObjectType('Order', {
  implements: () => [NodeType],
  description: 'An order for an animal, as it is or as it was at the moment asked for.',
})
class OrderType implements NodeType {
  readonly nodeId!: string;

  @Field(() => ID, { description: 'Identifier, assigned in the order in which orders were placed.' })
  readonly id!: string;

  @Field(() => Int, { description: 'Always 1, since an animal is one of its kind.' })
  readonly quantity!: number;

  @Field(() => OrderStatusType, { description: 'The status of the order.' })
  readonly status!: OrderStatus;

  @Field(() => String, { nullable: true, description: 'A note for the store; null if none was given.' })
  readonly note?: string | undefined;

  @Field(() => DateTimeScalar, { description: 'When it was placed.' })
  readonly placedAt!: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'From when it no longer holds its animal; null once it was approved.' })
  readonly expiresAt?: Date | undefined;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When its animal was handed over; null if it was not.' })
  readonly deliveredAt!: Date | null;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When it was delivered, cancelled or expired; null: it is open.' })
  readonly endedAt!: Date | null;

  @Field(() => Int, { description: 'How many events it has.' })
  readonly version!: number;

  @Field(() => ID, { description: 'The API key that placed it.' })
  readonly placedBy!: string;

  readonly petId!: bigint;

  /** Moment up to which its history and animal are read. */
  readonly asOf?: Date | undefined;
}

function toOrderType(order: OrderSnapshot, asOf?: Date): OrderType {
  const { id, placedBy, status, endedAt = null } = order;
  const deliveredAt = status === 'delivered' ? endedAt : null;
  const texts = { id: id.toString(), placedBy: placedBy.toString() };
  // New members first, as in `toPetType`.
  return { nodeId: orderStream(id), deliveredAt, quantity: ORDER_QUANTITY, asOf, ...order, ...texts, endedAt };
}

@ObjectType({ description: 'A page of orders.' })
class OrderConnection extends connectionType(OrderType, 'Order') {}

const OrderFilterType = filterType('OrderFilter', orderFilters, { statusIn: OrderStatusType });

@ArgsType()
class OrdersArguments extends ConnectionArguments {
  @Field(() => OrderFilterType, { nullable: true, description: 'Only orders that match.' })
  readonly filter?: object;

  @Field(() => OrderStatusType, {
    nullable: true,
    description: 'Only orders with this status.',
    deprecationReason: 'Use `filter` with `statusIn`.',
  })
  readonly status?: OrderStatus;

  @Field(() => ID, { nullable: true, description: 'Only orders for this animal.', deprecationReason: 'Use `filter` with `petIn`.' })
  readonly petId?: string;

  @Field(() => ID, {
    nullable: true,
    description: 'Only orders that this API key placed.',
    deprecationReason: 'Use `filter` with `placedByIn`.',
  })
  readonly placedBy?: string;
}

@ObjectType('OrderCount', { description: 'How many orders have a status.' })
class OrderCountType {
  @Field(() => OrderStatusType, { description: 'The status.' })
  readonly status!: OrderStatus;

  @Field(() => Int, { description: 'How many orders have it.' })
  readonly count!: number;

  @Field(() => String, { nullable: true, description: 'The first UTC day of the period, such as `2026-06-01`; null without periods.' })
  readonly date?: string;
}

@ObjectType('Inventory', { description: 'How many animals have each status.' })
class InventoryType {
  @Field(() => Int, { description: 'Animals that can be ordered.' })
  readonly available!: number;

  @Field(() => Int, { description: 'Animals that are reserved, or pending by hand.' })
  readonly pending!: number;

  @Field(() => Int, { description: 'Animals that were adopted.' })
  readonly sold!: number;

  @Field(() => Int, { description: 'Animals without a status.' })
  readonly unset!: number;
}

/** The orders over GraphQL; the fields of an order that are read only if requested. */
@Resolver(() => OrderType)
export class OrdersResolver {
  private readonly pets: GroupedLoader<{ readonly asOf?: Date | undefined }, bigint, PetSnapshot>;

  constructor(private readonly queries: QueryBus) {
    this.pets = new GroupedLoader((ids, { asOf }) => queries.execute(new FindPets(ids, asOf)));
  }

  @ReadsOnly('orders')
  @Query(() => OrderType, { nullable: true, description: 'One order; null if it does not exist, or did not at the requested moment.' })
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
  @Query(() => OrderConnection, {
    description: 'The orders of all API keys, ascending by id, with a filter by time by that time, unless `orderBy` says otherwise.',
  })
  async orders(@Args() { filter, status, petId, placedBy, ...place }: OrdersArguments): Promise<OrderConnection> {
    const request = new ConnectionRequest('orders', place, { filter, status, petId, placedBy }, { hasTimeOrder: true });
    const filters = intersectFilters(readFilter(orderFilters, filter), {
      ...(status && { statusIn: [status] }),
      ...(typeof petId === 'string' && { petIn: [readId('petId', petId)] }),
      ...(typeof placedBy === 'string' && { placedByIn: [readId('placedBy', placedBy)] }),
    });
    const page = filters ? await this.queries.execute(new ListOrders({ ...request.range, filters })) : EMPTY_PAGE;
    const count = async () => (filters ? this.queries.execute(new CountOrders({ filters })) : 0);
    return request.connection(page, { toNode: toOrderType, numberOf: ({ id }) => id, count });
  }

  @Query(() => [OrderCountType], { description: 'How many orders have each status: now, at a moment or over time.' })
  async orderCounts(@Args() given: CountArguments): Promise<readonly OrderCountType[]> {
    const counts = await this.queries.execute(new ListOrderCounts(given));
    return counts.map(({ value, ...count }) => ({ ...count, status: value as OrderStatus }));
  }

  @ReadsOnly('pets')
  @Query(() => InventoryType, { description: 'How many animals have each status.' })
  async inventory(): Promise<InventoryType> {
    return readInventory(this.queries);
  }

  @ReadsOnly('pets')
  @ResolveField(() => PetType, { nullable: true, description: 'The animal; null once it is withdrawn.' })
  async pet(@Parent() { petId, asOf }: OrderType, @Context('req') request: object): Promise<PetType | null> {
    const pet = await this.pets.load(request, petId, { asOf });
    return pet ? toPetType(pet, asOf) : null;
  }
}

/** Adds the orders to an animal. */
@Resolver(() => PetType)
export class PetOrdersResolver {
  private readonly counts: GroupedLoader<{ readonly asOf?: Date | undefined }, bigint, number>;
  private readonly orders: GroupedLoader<OrdersOfPetsRange, bigint, Page<OrderSnapshot>>;

  constructor(queries: QueryBus) {
    this.counts = new GroupedLoader((petIds, { asOf }) => queries.execute(new CountOrdersOfPets(petIds, asOf)));
    this.orders = new GroupedLoader((petIds, range) => queries.execute(new FindOrdersOfPets(petIds, range)));
  }

  @ReadsOnly('orders')
  @ResolveField('orders', () => OrderConnection, {
    description: 'The orders for the animal, ascending by id unless `orderBy` says otherwise.',
  })
  async ordersOf(
    @Parent() { id, asOf }: PetType,
    @Args() place: ConnectionArguments,
    @Context('req') request: object,
  ): Promise<OrderConnection> {
    const petId = BigInt(id);
    const connection = new ConnectionRequest('Pet.orders', place, { petId });
    const page = await this.orders.load(request, petId, { ...connection.range, asOf });
    return connection.connection(page ?? EMPTY_PAGE, {
      toNode: (order: OrderSnapshot) => toOrderType(order, asOf),
      numberOf: (order) => order.id,
      count: async () => (await this.counts.load(request, petId, { asOf })) ?? 0,
    });
  }
}
