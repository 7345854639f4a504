import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { viewOf, type WebhookView } from '../domain/webhook.js';
import { EventTypes } from '../event-types.js';
import { WebhookReader } from '../read-model/webhook.reader.js';

/** The endpoint with this id; undefined where there is none, and once it is deleted. */
export class GetWebhook extends Query<WebhookView | undefined> {
  constructor(readonly id: bigint) {
    super();
  }
}

@QueryHandler(GetWebhook)
export class GetWebhookHandler implements IQueryHandler<GetWebhook> {
  constructor(
    private readonly webhooks: WebhookReader,
    private readonly types: EventTypes,
  ) {}

  async execute({ id }: GetWebhook): Promise<WebhookView | undefined> {
    const webhook = await this.webhooks.find(id);
    return webhook && viewOf(webhook, this.types.names);
  }
}
