import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { EventStore, eventsUntil, type RecordedEvent } from '#libs/event-store';
import { orderAfter } from '../domain/order-history.js';
import type { OrderEvent } from '../domain/order.events.js';
import { orderStream, type OrderSnapshot } from '../domain/order.js';
import { OrderReader } from '../read-model/order.reader.js';

/** The order with this id as it is, or folded from its events as it was at a moment; undefined where there is or was none. */
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
    return orderAfter(id, eventsUntil(events, asOf));
  }
}
