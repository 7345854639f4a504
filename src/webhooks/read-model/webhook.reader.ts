import { Injectable } from '@nestjs/common';
import { Database, sql } from '#libs/database';
import { ReadModels, RowReader, type PageRange } from '#libs/event-sourcing';
import { PublicEventCatalog } from '#libs/http';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import type { StoredWebhook, WebhookSnapshot, WebhookView } from '../domain/webhook.js';
import { webhooksProjection } from './webhooks.projection.js';

/** A page of endpoints, ascending by id. */
export interface WebhookRange extends PageRange {
  /** The number of the API key that they belong to; endpoints of all keys if undefined. */
  readonly registeredBy?: bigint | undefined;
}

/** Reads endpoints as of the last acknowledged change. */
@Injectable()
export class WebhookReader extends RowReader<StoredWebhook> {
  /** The names of the event types that this build sends. */
  readonly eventTypes: readonly string[];

  constructor(database: Database, readModels: ReadModels, catalog: PublicEventCatalog) {
    super(webhooksProjection, database, readModels);
    this.eventTypes = catalog.types.map(({ as }) => as);
  }

  /** Returns an endpoint as operators see it: one for all types shows those of this build. */
  view({ id, registeredBy, url, types = this.eventTypes, description, enabled, disabledReason, createdAt }: WebhookSnapshot): WebhookView {
    const values = { url, types, ...(description !== undefined && { description }) };
    return { id, registeredBy, ...values, enabled, ...(disabledReason && { disabledReason }), createdAt };
  }

  enabled(): Promise<StoredWebhook[]> {
    return this.rows(sql`WHERE "enabled" = 1`);
  }

  /** @throws WebhookNotFoundError if there is no such endpoint or it was deleted */
  async get(id: bigint): Promise<StoredWebhook> {
    const found = await this.find(id);
    if (!found) throw new WebhookNotFoundError(id);
    return found;
  }
}
