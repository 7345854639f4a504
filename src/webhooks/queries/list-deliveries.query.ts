import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { toPage, type Page, type PageRange } from '#libs/projections';
import type { Delivery } from '../records/delivery.js';
import { DeliveryRecords } from '../records/delivery-records.js';

/** One page of the attempts to send to each of these endpoints, the newest first, by the id of the endpoint; `after` is that of an attempt. */
export class ListDeliveries extends Query<ReadonlyMap<bigint, Page<Delivery>>> {
  constructor(
    readonly webhookIds: readonly bigint[],
    readonly range: PageRange,
  ) {
    super();
  }
}

@QueryHandler(ListDeliveries)
export class ListDeliveriesHandler implements IQueryHandler<ListDeliveries> {
  constructor(private readonly records: DeliveryRecords) {}

  async execute({ webhookIds, range }: ListDeliveries): Promise<ReadonlyMap<bigint, Page<Delivery>>> {
    const found = await this.records.pages(webhookIds, { ...range, limit: range.limit + 1 });
    const pages = webhookIds.map(async (id) => {
      const page = await toPage(
        range,
        () => Promise.resolve(found.get(id) ?? []),
        (delivery) => delivery.id,
      );
      return [id, page] as const;
    });
    return new Map(await Promise.all(pages));
  }
}
