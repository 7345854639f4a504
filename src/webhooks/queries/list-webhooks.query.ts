import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { toPage, type Page } from '#libs/projections';
import { viewOf, type WebhookView } from '../domain/webhook.js';
import { EventTypes } from '../event-types.js';
import { WebhookReader, type WebhookRange } from '../read-model/webhook.reader.js';

/** One page of the endpoints, ascending by id. Going on after `next` meets every endpoint once, also while others are added. */
export class ListWebhooks extends Query<Page<WebhookView>> {
  constructor(readonly range: WebhookRange) {
    super();
  }
}

@QueryHandler(ListWebhooks)
export class ListWebhooksHandler implements IQueryHandler<ListWebhooks> {
  constructor(
    private readonly webhooks: WebhookReader,
    private readonly types: EventTypes,
  ) {}

  async execute({ range }: ListWebhooks): Promise<Page<WebhookView>> {
    const { items, next } = await toPage(
      range,
      (further) => this.webhooks.page(further),
      ({ id }) => id,
    );
    return { items: items.map((webhook) => viewOf(webhook, this.types.names)), next };
  }
}
