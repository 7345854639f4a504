import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { toPage, type Page, type PageRange } from '#libs/event-sourcing';
import type { WebhookView } from '../domain/webhook.js';
import { WebhookReader, type WebhookRange } from '../read-model/webhook.reader.js';
import { DeliveryStore, type Delivery } from '../records/delivery.store.js';

/** Returns the endpoint with this id; undefined if there is none or it was deleted. */
export class GetWebhook extends Query<WebhookView | undefined> {
  constructor(readonly id: bigint) {
    super();
  }
}

@QueryHandler(GetWebhook)
export class GetWebhookHandler implements IQueryHandler<GetWebhook> {
  constructor(private readonly webhooks: WebhookReader) {}

  async execute({ id }: GetWebhook): Promise<WebhookView | undefined> {
    const webhook = await this.webhooks.find(id);
    return webhook && this.webhooks.view(webhook);
  }
}

/** Returns one page of the endpoints, ascending by id. Following `next` returns every endpoint exactly once, even while others are added. */
export class ListWebhooks extends Query<Page<WebhookView>> {
  constructor(readonly range: WebhookRange) {
    super();
  }
}

@QueryHandler(ListWebhooks)
export class ListWebhooksHandler implements IQueryHandler<ListWebhooks> {
  constructor(private readonly webhooks: WebhookReader) {}

  async execute({ range }: ListWebhooks): Promise<Page<WebhookView>> {
    const read = (further: WebhookRange) => this.webhooks.page(further);
    const { items, next } = await toPage(range, read, ({ id }) => id);
    return { items: items.map((webhook) => this.webhooks.view(webhook)), next };
  }
}

/** Returns one page of the attempts to send to each of these endpoints, the newest first, by the endpoint's id; `after` is an attempt's id. */
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

  async execute({ webhookIds, range }: ListDeliveries): Promise<ReadonlyMap<bigint, Page<Delivery>>> {
    const found = await this.deliveries.pages(webhookIds, { ...range, limit: range.limit + 1 });
    const pages = new Map<bigint, Page<Delivery>>();
    for (const webhookId of webhookIds) {
      const read = () => Promise.resolve(found.get(webhookId) ?? []);
      pages.set(webhookId, await toPage(range, read, ({ id }) => id));
    }
    return pages;
  }
}
