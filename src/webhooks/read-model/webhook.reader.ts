import { Injectable } from '@nestjs/common';
import { Database, identifier, join, raw, sql, type SqlFragment, type SqlRunner } from '#libs/database';
import { ReadModels, tableNameOf, type PageRange } from '#libs/projections';
import { storedWebhookOf, WEBHOOK_COLUMNS, type StoredWebhook, type WebhookRow } from './webhook-rows.js';
import { WEBHOOKS, webhooksProjection } from './webhooks.projection.js';

/** Which endpoints are read, ascending by id. */
export interface WebhookRange extends PageRange {
  /** The number of the API key that they belong to; of all keys when left out. */
  readonly registeredBy?: bigint;
}

const table = identifier(tableNameOf(webhooksProjection, WEBHOOKS));
const columns = raw(WEBHOOK_COLUMNS.map((column) => `"${column}"`).join(', '));

/** Reads endpoints as of the last acknowledged change. */
@Injectable()
export class WebhookReader {
  constructor(
    private readonly database: Database,
    private readonly readModels: ReadModels,
  ) {}

  async page({ limit, after, registeredBy }: WebhookRange): Promise<StoredWebhook[]> {
    const conditions = [
      sql`1 = 1`,
      ...(registeredBy === undefined ? [] : [sql`"key_id" = ${registeredBy}`]),
      ...(after === undefined ? [] : [sql`"id" > ${after}`]),
    ];
    return this.read(sql`WHERE ${join(conditions, ' AND ')} ORDER BY "id" LIMIT ${limit}`);
  }

  /** All that are enabled. */
  enabled(): Promise<StoredWebhook[]> {
    return this.read(sql`WHERE "enabled" = 1`);
  }

  /** Undefined where there is none, and once it is deleted. */
  async find(id: bigint): Promise<StoredWebhook | undefined> {
    const [found] = await this.read(sql`WHERE "id" = ${id}`);
    return found;
  }

  /** How many endpoints the API key has. */
  async count(keyId: bigint): Promise<number> {
    await this.readModels.current(webhooksProjection);
    return this.countWithin(this.database.reader, keyId);
  }

  /** The same in a transaction, with what it has appended. */
  async countWithin(runner: SqlRunner, keyId: bigint): Promise<number> {
    const [found] = await runner.query<{ total: bigint | string }>(sql`SELECT count(*) AS "total" FROM ${table} WHERE "key_id" = ${keyId}`);
    return Number(found?.total ?? 0);
  }

  private async read(condition: SqlFragment): Promise<StoredWebhook[]> {
    await this.readModels.current(webhooksProjection);
    const rows = await this.database.reader.query<WebhookRow>(sql`SELECT ${columns} FROM ${table} ${condition}`);
    return rows.map(storedWebhookOf);
  }
}
