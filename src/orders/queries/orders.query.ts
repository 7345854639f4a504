import { Injectable } from '@nestjs/common';
import {
  EventStore,
  readPastRows,
  toPage,
  type Count,
  type CountRequest,
  type ListRange,
  type Page,
  type PageRange,
} from '#libs/event-sourcing';
import { type IQueryHandler, Query, QueryHandler, QueryBus } from '@nestjs/cqrs';
import { Clock } from '#libs/observability';
import { ListPetCounts, type PetStatus } from '../../pets/index.js';
import { ORDER_STATUSES, orderStream, type OrderSnapshot } from '../domain/order.js';
import { OrderReader } from '../read-model/order.reader.js';
import { ordersProjection, type OrderFilters, type orderFilters } from '../read-model/orders.projection.js';

/** What queries about orders read from. */
@Injectable()
abstract class OrderQueryHandler {
  constructor(
    protected readonly orders: OrderReader,
    protected readonly eventStore: EventStore,
    protected readonly clock: Clock,
  ) {}
}

/** Finds an order, with `asOf` as it was at that moment; undefined if there was none. */
export class GetOrder extends Query<OrderSnapshot | undefined> {
  constructor(
    readonly id: bigint,
    readonly asOf?: Date,
  ) {
    super();
  }
}

@QueryHandler(GetOrder)
export class GetOrderHandler extends OrderQueryHandler implements IQueryHandler<GetOrder> {
  async execute({ id, asOf }: GetOrder): Promise<OrderSnapshot | undefined> {
    if (asOf === undefined) return this.orders.find(id);
    return (await readPastRows(this.eventStore, ordersProjection, [orderStream(id)], asOf)).get(id);
  }
}

export { orderFilters } from '../read-model/orders.projection.js';

export type OrderRange = ListRange<typeof orderFilters>;

/**
 * Reads a page of orders in the order of their ids, or of the times when they were placed. Following `next` returns every order exactly once,
 * even while others are placed.
 */
export class ListOrders extends Query<Page<OrderSnapshot>> {
  constructor(readonly range: OrderRange) {
    super();
  }
}

@QueryHandler(ListOrders)
export class ListOrdersHandler extends OrderQueryHandler implements IQueryHandler<ListOrders> {
  /** Most pages are simple, and are read without a choice of an index. */
  async execute({ range }: ListOrders): Promise<Page<OrderSnapshot>> {
    const { limit, after, descending, orderBy, filters } = range;
    const simple = orderBy === 'time' ? undefined : toSimpleFilter(filters);
    return simple ? this.orders.page({ limit, after, descending, ...simple }) : this.orders.list(range);
  }
}

/** Returns the values that rows must have, if filters say nothing else. */
function toSimpleFilter({ statusIn, petIn, placedByIn, ...others }: OrderFilters) {
  const isOther = Object.values(others).some((value) => value !== undefined);
  if (isOther || [statusIn, petIn, placedByIn].some((values) => values && values.length !== 1)) return undefined;
  return { status: statusIn?.[0] ?? undefined, petId: petIn?.[0], placedBy: placedByIn?.[0] };
}

/** Counts the orders on all pages of a range together, exactly. */
export class CountOrders extends Query<number> {
  constructor(readonly range: Omit<OrderRange, 'limit'>) {
    super();
  }
}

@QueryHandler(CountOrders)
export class CountOrdersHandler extends OrderQueryHandler implements IQueryHandler<CountOrders> {
  async execute({ range }: CountOrders): Promise<number> {
    const { statusIn, ...others } = range.filters;
    if (Object.values(others).some((value) => value !== undefined)) return this.orders.total(range);
    const counts = await this.orders.counts.now('status');
    return [...counts].reduce(
      (total, [status, count]) => (!statusIn || statusIn.some((word) => word === status) ? total + count : total),
      0,
    );
  }
}

export interface OrdersOfPetsRange extends PageRange {
  /** Reads orders as they were at this moment. */
  readonly asOf?: Date | undefined;
}

/** Reads a page of orders for each animal, in the order of their ids, with one statement; two with `asOf`. */
export class FindOrdersOfPets extends Query<ReadonlyMap<bigint, Page<OrderSnapshot>>> {
  constructor(
    readonly petIds: readonly bigint[],
    readonly range: OrdersOfPetsRange,
  ) {
    super();
  }
}

@QueryHandler(FindOrdersOfPets)
export class FindOrdersOfPetsHandler extends OrderQueryHandler implements IQueryHandler<FindOrdersOfPets> {
  async execute({ petIds, range }: FindOrdersOfPets): Promise<ReadonlyMap<bigint, Page<OrderSnapshot>>> {
    const { asOf, ...page } = range;
    const found = await this.orders.ofPets(petIds, { ...page, limit: page.limit + 1 }, asOf);
    const streams = found.map(({ id }) => orderStream(id));
    const past = asOf && (await readPastRows(this.eventStore, ordersProjection, streams, asOf));
    const orders = past ? found.flatMap(({ id }) => past.get(id) ?? []) : found;
    const pageOf = (petId: bigint) => orders.filter((order) => order.petId === petId);
    return new Map(petIds.map((petId) => [petId, toPage(pageOf(petId), page.limit, ({ id }) => id)]));
  }
}

/** Counts the orders of each animal, with `asOf` those that had been placed by that moment; omits animals without orders. */
export class CountOrdersOfPets extends Query<ReadonlyMap<bigint, number>> {
  constructor(
    readonly petIds: readonly bigint[],
    readonly asOf?: Date,
  ) {
    super();
  }
}

@QueryHandler(CountOrdersOfPets)
export class CountOrdersOfPetsHandler extends OrderQueryHandler implements IQueryHandler<CountOrdersOfPets> {
  execute({ petIds, asOf }: CountOrdersOfPets): Promise<ReadonlyMap<bigint, number>> {
    return this.orders.countOfPets(petIds, asOf);
  }
}

/** Counts the orders by status: now, at a moment or over time; zeros included. */
export class ListOrderCounts extends Query<readonly Count[]> {
  constructor(readonly request: CountRequest) {
    super();
  }
}

@QueryHandler(ListOrderCounts)
export class ListOrderCountsHandler extends OrderQueryHandler implements IQueryHandler<ListOrderCounts> {
  execute({ request }: ListOrderCounts): Promise<readonly Count[]> {
    return this.orders.counts.count('status', request, { now: this.clock.now(), values: ORDER_STATUSES });
  }
}

/** Number of animals by status; `unset`: without one. */
export type Inventory = Readonly<Record<PetStatus | 'unset', number>>;

/** Counts the animals by status. */
export async function readInventory(queries: QueryBus): Promise<Inventory> {
  const counts = await queries.execute(new ListPetCounts());
  return Object.fromEntries(counts.map(({ value, count }) => [value ?? 'unset', count])) as Inventory;
}
