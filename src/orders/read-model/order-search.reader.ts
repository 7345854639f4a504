import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { CountReader, EventStore, ListReader, ReadModels } from '#libs/event-sourcing';
import type { OrderSnapshot } from '../domain/order.js';
import { orderDailyCounts, orderFilters, orderSearchProjection } from './order-search.projection.js';

/** Finds orders by filters, as of the last acknowledged change. */
@Injectable()
export class OrderSearchReader extends ListReader<OrderSnapshot, typeof orderFilters> {
  /** Counts by `status`. */
  readonly counts: CountReader<OrderSnapshot>;

  constructor(database: Database, readModels: ReadModels, eventStore: EventStore) {
    super(orderSearchProjection, orderFilters, database, readModels);
    this.counts = new CountReader({ projection: orderSearchProjection, counts: orderDailyCounts, database, readModels, eventStore });
  }
}
