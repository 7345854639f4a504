import { Injectable } from '@nestjs/common';
import { Database, entityTable, sql, type SqlFragment } from '#libs/database';
import { ReadModels, RowReader, type Page, type PageRange } from '#libs/event-sourcing';
import { PublicEventCatalog } from '#libs/http';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import type { StoredWebhook, WebhookSnapshot, WebhookView } from '../domain/webhook.js';
import { ProgressRow } from '../records/endpoint-progress.entity.js';
import { webhooksProjection } from './webhooks.projection.js';

/** A page of endpoints, ascending by id. */
export interface WebhookRange extends PageRange {
  /** The number of the API key that they belong to; endpoints of all keys if undefined. */
  readonly registeredBy?: bigint | undefined;
  /** Whether they fail; failing ones and others if undefined. */
  readonly failing?: boolean | undefined;
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

  /** Returns a page of the endpoints, in the order of their ids. */
  list({ failing, ...range }: WebhookRange): Promise<Page<StoredWebhook>> {
    return this.page(range, isFailing(failing));
  }

  /** Counts all endpoints, or those that fail or do not. */
  countFailing(failing: boolean | undefined): Promise<number> {
    return this.count({}, isFailing(failing));
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

/** An endpoint fails if its last attempt failed, or if it is disabled because it failed for too long. */
function isFailing(wanted: boolean | undefined): SqlFragment[] {
  if (wanted === undefined) return [];
  const progress = sql`SELECT 1 FROM ${entityTable(ProgressRow).quoted} WHERE "webhook_id" = "id" AND "failing_since" IS NOT NULL`;
  const failing = sql`CASE WHEN "enabled" = 1 THEN EXISTS (${progress}) ELSE coalesce("disabled_reason", '') = 'failing' END`;
  return [wanted ? failing : sql`NOT ${failing}`];
}
