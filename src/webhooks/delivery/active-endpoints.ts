import { Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { FindUsableApiKeys } from '../../auth/index.js';
import { SENDING_SCOPES } from '../domain/webhook.js';
import type { StoredWebhook } from '../read-model/webhook-rows.js';
import { WebhookReader } from '../read-model/webhook.reader.js';

/** The endpoints to which something is to be sent now. */
@Injectable()
export class ActiveEndpoints {
  constructor(
    private readonly webhooks: WebhookReader,
    private readonly queries: QueryBus,
  ) {}

  /** Those that are enabled and whose key may be sent events, by their ids. One statement where there are none. */
  async read(): Promise<ReadonlyMap<bigint, StoredWebhook>> {
    const enabled = await this.webhooks.enabled();
    if (enabled.length === 0) return new Map();
    const keys = [...new Set(enabled.map(({ registeredBy }) => registeredBy))];
    const usable = await this.queries.execute(new FindUsableApiKeys(keys, SENDING_SCOPES));
    return new Map(enabled.filter(({ registeredBy }) => usable.has(registeredBy)).map((webhook) => [webhook.id, webhook]));
  }
}
