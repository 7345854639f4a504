import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import type { Page, PageRange } from '#libs/event-sourcing';
import type { WebhookView } from '../domain/webhook.js';
import { WebhookReader, type WebhookRange } from '../read-model/webhook.reader.js';
import { DeliveryStore, type Delivery } from '../records/delivery.store.js';

/** Finds the endpoint with this id; undefined if there is none. */
export class GetWebhook extends Query<WebhookView | undefined> {
  constructor(readonly id: bigint) {
    super();
  }
}

@QueryHandler(GetWebhook)
export class GetWebhookHandler implements IQueryHandler<GetWebhook> {
  constructor(private readonly webhooks: WebhookReader) {}

  async execute({ id }: GetWebhook): Promise<WebhookView | undefined> {
    const found = await this.webhooks.find(id);
    return found && this.webhooks.view(found);
  }
}

/** Returns one page of the endpoints, in the order of their ids. Following `next` returns every endpoint exactly once, even while others are added. */
export class ListWebhooks extends Query<Page<WebhookView>> {
  constructor(readonly range: WebhookRange) {
    super();
  }
}

@QueryHandler(ListWebhooks)
export class ListWebhooksHandler implements IQueryHandler<ListWebhooks> {
  constructor(private readonly webhooks: WebhookReader) {}

  async execute({ range }: ListWebhooks): Promise<Page<WebhookView>> {
    const { items, next } = await this.webhooks.list(range);
    return { items: items.map((webhook) => this.webhooks.view(webhook)), next };
  }
}

/** Counts the endpoints of all API keys; with `failing` only those that fail, or only those that do not. */
export class CountWebhooks extends Query<number> {
  constructor(readonly failing?: boolean) {
    super();
  }
}

@QueryHandler(CountWebhooks)
export class CountWebhooksHandler implements IQueryHandler<CountWebhooks> {
  constructor(private readonly webhooks: WebhookReader) {}

  execute({ failing }: CountWebhooks): Promise<number> {
    return this.webhooks.countFailing(failing);
  }
}

/** Counts the attempts to send to each of these endpoints; omits endpoints without any. */
export class CountDeliveries extends Query<ReadonlyMap<bigint, number>> {
  constructor(readonly webhookIds: readonly bigint[]) {
    super();
  }
}

@QueryHandler(CountDeliveries)
export class CountDeliveriesHandler implements IQueryHandler<CountDeliveries> {
  constructor(private readonly deliveries: DeliveryStore) {}

  execute({ webhookIds }: CountDeliveries): Promise<ReadonlyMap<bigint, number>> {
    return this.deliveries.counts(webhookIds);
  }
}

/** Returns one page of the attempts to send to each of these endpoints, the newest first unless `descending` is false, by the endpoint's id. */
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
  constructor(private readonly deliveries: DeliveryStore) {}

  execute({ webhookIds, range }: ListDeliveries): Promise<ReadonlyMap<bigint, Page<Delivery>>> {
    return this.deliveries.pages(webhookIds, range);
  }
}
