import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { byStream, EventStore, eventsUntil, type RecordedEvent } from '#libs/event-store';
import { toPage, type Page, type PageRange } from '#libs/projections';
import { orderAfter } from '../domain/order-history.js';
import type { OrderEvent } from '../domain/order.events.js';
import { orderStream, type OrderSnapshot } from '../domain/order.js';
import { OrderReader } from '../read-model/order.reader.js';

export interface OrdersOfPetsRange extends PageRange {
  /** The orders that there were at this moment, as they were then. */
  readonly asOf?: Date;
}

/** One page of the orders of each of these animals, ascending by id, with one statement for all of them; two with `asOf`. */
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
    const found = await this.orders.pagesOfPets(petIds, { ...page, limit: page.limit + 1 });
    // Those that were not placed then are the last ones, since times never go back along the log.
    const orders = asOf ? await this.asTheyWere(found, asOf) : found;
    const pages = petIds.map(async (petId) => {
      const ofPet = orders.filter((order) => order.petId === petId);
      return [
        petId,
        await toPage(
          page,
          () => Promise.resolve(ofPet),
          ({ id }) => id,
        ),
      ] as const;
    });
    return new Map(await Promise.all(pages));
  }

  private async asTheyWere(orders: readonly OrderSnapshot[], moment: Date): Promise<OrderSnapshot[]> {
    const events = (await this.eventStore.readStreams(orders.map(({ id }) => orderStream(id)))) as RecordedEvent<OrderEvent>[];
    const histories = byStream(events);
    return orders.flatMap(({ id }) => orderAfter(id, eventsUntil(histories.get(orderStream(id)) ?? [], moment)) ?? []);
  }
}
