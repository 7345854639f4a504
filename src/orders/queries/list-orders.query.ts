import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { toPage, type Page } from '#libs/projections';
import type { OrderSnapshot } from '../domain/order.js';
import { OrderReader, type OrderRange } from '../read-model/order.reader.js';

/** One page of the orders, ascending by id. Going on after `next` meets every order once, also while others are placed. */
export class ListOrders extends Query<Page<OrderSnapshot>> {
  constructor(readonly range: OrderRange) {
    super();
  }
}

@QueryHandler(ListOrders)
export class ListOrdersHandler implements IQueryHandler<ListOrders> {
  constructor(private readonly orders: OrderReader) {}

  execute({ range }: ListOrders): Promise<Page<OrderSnapshot>> {
    return toPage(
      range,
      (further) => this.orders.page(further),
      ({ id }) => id,
    );
  }
}
