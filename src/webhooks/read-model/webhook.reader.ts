import { Injectable } from '@nestjs/common';
import { Database, identifier, join, sql, type SqlFragment, type SqlRunner } from '#libs/database';
import { ReadModels, projectionTableName, type PageRange } from '#libs/event-sourcing';
import { PublicEventCatalog } from '#libs/http';
import type { StoredWebhook, WebhookSnapshot, WebhookView } from '../domain/webhook.js';
import { fromWebhookRow, webhookColumns, WEBHOOKS, webhooksProjection, type WebhookRow } from './webhooks.projection.js';

/** A page of endpoints, ascending by id. */
export interface WebhookRange extends PageRange {
  /** The number of the API key that they belong to; endpoints of all keys if undefined. */
  readonly registeredBy?: bigint;
}

const table = identifier(projectionTableName(webhooksProjection, WEBHOOKS));

/** Reads endpoints as of the last acknowledged change. */
@Injectable()
export class WebhookReader {
  /** The names of the event types that this build sends. */
  readonly eventTypes: readonly string[];

  constructor(
    private readonly database: Database,
    private readonly readModels: ReadModels,
    catalog: PublicEventCatalog,
  ) {
    this.eventTypes = catalog.types.map(({ as }) => as);
  }

  /** Returns an endpoint as operators see it: one for all types shows those of this build. */
  view({ id, registeredBy, url, types = this.eventTypes, description, enabled, disabledReason, createdAt }: WebhookSnapshot): WebhookView {
    const values = { url, types, ...(description !== undefined && { description }) };
    return { id, registeredBy, ...values, enabled, ...(disabledReason && { disabledReason }), createdAt };
  }

  page({ limit, after = 0n, registeredBy }: WebhookRange): Promise<StoredWebhook[]> {
    const conditions = [sql`"id" > ${after}`, ...(registeredBy === undefined ? [] : [sql`"key_id" = ${registeredBy}`])];
    return this.read(sql`${join(conditions, ' AND ')} ORDER BY "id" LIMIT ${limit}`);
  }

  enabled(): Promise<StoredWebhook[]> {
    return this.read(sql`"enabled" = 1`);
  }

  /** Returns undefined if there is no such endpoint or it was deleted. */
  async find(id: bigint): Promise<StoredWebhook | undefined> {
    const [found] = await this.read(sql`"id" = ${id}`);
    return found;
  }

  /** Returns how many endpoints the API key has. */
  async count(keyId: bigint): Promise<number> {
    await this.readModels.current(webhooksProjection);
    return this.countWithin(this.database.reader, keyId);
  }

  /** Returns the same within a transaction, including what it has appended. */
  async countWithin(runner: SqlRunner, keyId: bigint): Promise<number> {
    const [found] = await runner.query<{ total: bigint | string }>(sql`SELECT count(*) AS "total" FROM ${table} WHERE "key_id" = ${keyId}`);
    return Number(found?.total ?? 0);
  }

  private async read(condition: SqlFragment): Promise<StoredWebhook[]> {
    await this.readModels.current(webhooksProjection);
    const rows = await this.database.reader.query<WebhookRow>(sql`SELECT ${webhookColumns} FROM ${table} WHERE ${condition}`);
    return rows.map(fromWebhookRow);
  }
}
