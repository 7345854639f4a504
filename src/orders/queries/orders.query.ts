import { EventStore, takeUntil, type RecordedEvent, groupByStream, toPage, type Page, type PageRange } from '#libs/event-sourcing';
import { type IQueryHandler, Query, QueryHandler, QueryBus } from '@nestjs/cqrs';
import { ListPetCounts, type PetStatus } from '../../pets/index.js';
import { foldOrder } from '../domain/order.decider.js';
import type { OrderEvent } from '../domain/order.events.js';
import { orderStream, type OrderSnapshot } from '../domain/order.js';
import { OrderReader, type OrderRange } from '../read-model/order.reader.js';

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
export class GetOrderHandler implements IQueryHandler<GetOrder> {
  constructor(
    private readonly orders: OrderReader,
    private readonly eventStore: EventStore,
  ) {}

  async execute({ id, asOf }: GetOrder): Promise<OrderSnapshot | undefined> {
    if (asOf === undefined) return this.orders.find(id);
    const events = (await this.eventStore.readStream(orderStream(id))) as RecordedEvent<OrderEvent>[];
    return foldOrder(id, takeUntil(events, asOf));
  }
}

/** Reads a page of orders, ascending by id. Following `next` returns every order exactly once, even while others are placed. */
export class ListOrders extends Query<Page<OrderSnapshot>> {
  constructor(readonly range: OrderRange) {
    super();
  }
}

@QueryHandler(ListOrders)
export class ListOrdersHandler implements IQueryHandler<ListOrders> {
  constructor(private readonly orders: OrderReader) {}

  execute({ range }: ListOrders): Promise<Page<OrderSnapshot>> {
    return this.orders.list(range);
  }
}

export interface OrdersOfPetsRange extends PageRange {
  /** Reads orders as they were at this moment. */
  readonly asOf?: Date;
}

/** Reads a page of orders for each animal, ascending by id, with one statement; two with `asOf`. */
export class FindOrdersOfPets extends Query<ReadonlyMap<bigint, Page<OrderSnapshot>>> {
  constructor(
    readonly petIds: readonly bigint[],
    readonly range: OrdersOfPetsRange,
  ) {
    super();
  }
}

@QueryHandler(FindOrdersOfPets)
export class FindOrdersOfPetsHandler implements IQueryHandler<FindOrdersOfPets> {
  constructor(
    private readonly orders: OrderReader,
    private readonly eventStore: EventStore,
  ) {}

  async execute({ petIds, range }: FindOrdersOfPets): Promise<ReadonlyMap<bigint, Page<OrderSnapshot>>> {
    const { asOf, ...page } = range;
    const found = await this.orders.firstOfEach('petId', petIds, { ...page, limit: page.limit + 1 });
    // Orders not placed yet at that moment come last, since times ascend along the log.
    const orders = asOf ? await this.asTheyWere(found, asOf) : found;
    const pages = new Map<bigint, Page<OrderSnapshot>>();
    for (const petId of petIds) {
      const read = () => Promise.resolve(orders.filter((order) => order.petId === petId));
      pages.set(petId, await toPage(page, read, ({ id }) => id));
    }
    return pages;
  }

  private async asTheyWere(orders: readonly OrderSnapshot[], moment: Date): Promise<OrderSnapshot[]> {
    const events = (await this.eventStore.readStreams(orders.map(({ id }) => orderStream(id)))) as RecordedEvent<OrderEvent>[];
    const histories = groupByStream(events);
    return orders.flatMap(({ id }) => foldOrder(id, takeUntil(histories.get(orderStream(id)) ?? [], moment)) ?? []);
  }
}

/** Number of animals by status; `unset`: without one. */
export type Inventory = Readonly<Record<PetStatus | 'unset', number>>;

/** Counts the animals by status. */
export class CountInventory extends Query<Inventory> {}

@QueryHandler(CountInventory)
export class CountInventoryHandler implements IQueryHandler<CountInventory> {
  constructor(private readonly queries: QueryBus) {}

  async execute(): Promise<Inventory> {
    const counts = await this.queries.execute(new ListPetCounts());
    return Object.fromEntries(counts.map(({ status, count }) => [status ?? 'unset', count])) as Inventory;
  }
}
