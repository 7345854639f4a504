import { Injectable } from '@nestjs/common';
import { Database, identifier, insertRows, join, raw, sql, type WriteTransaction } from '#libs/database';
import type { RetentionRule } from '#libs/operations';
import type { PageRange } from '#libs/projections';
import type { Attempted, Delivery } from './delivery.js';
import { DELIVERY_COLUMNS, deliveryOf, timeOf, type DeliveryRow } from './delivery-rows.js';

export const DELIVERIES_TABLE = 'webhook_deliveries';

const KEPT_FOR = 30 * 24 * 3_600_000;

/** Removes attempts some time after they were made. */
export const deliveryRetention: RetentionRule = { table: DELIVERIES_TABLE, key: ['id'], storedAt: 'attempted_at', keepFor: KEPT_FOR };

const table = identifier(DELIVERIES_TABLE);
const ids = identifier('webhook_delivery_ids');
const columns = raw(DELIVERY_COLUMNS.map((column) => `"${column}"`).join(', '));

export interface AttemptsOfEndpoint {
  readonly webhookId: bigint;
  readonly attempts: readonly Attempted[];
}

/** What was sent to endpoints, an attempt a row. */
@Injectable()
export class DeliveryRecords {
  constructor(private readonly database: Database) {}

  /** The attempts to send to each of these endpoints, the newest first: those with smaller ids than `after`. One statement for all. */
  async pages(webhookIds: readonly bigint[], { limit, after }: PageRange): Promise<ReadonlyMap<bigint, Delivery[]>> {
    if (webhookIds.length === 0) return new Map();
    const before = after === undefined ? sql`` : sql`AND "id" < ${after}`;
    const ranges = webhookIds.map(
      (id, index) =>
        sql`SELECT ${columns} FROM (SELECT ${columns} FROM ${table} WHERE "webhook_id" = ${id} ${before}
            ORDER BY "id" DESC LIMIT ${limit}) AS ${raw(`"range_${index}"`)}`,
    );
    const rows = await this.database.reader.query<DeliveryRow>(sql`${join(ranges, ' UNION ALL ')} ORDER BY "id" DESC`);
    const pages = new Map<bigint, Delivery[]>(webhookIds.map((id) => [id, []]));
    for (const row of rows) pages.get(BigInt(row.webhook_id))?.push(deliveryOf(row));
    return pages;
  }

  /** One attempt to send to an endpoint, with when what it tells of happened; undefined where there is none, or no longer. */
  async find(webhookId: bigint, id: bigint): Promise<(Delivery & { readonly eventAt: Date }) | undefined> {
    const [row] = await this.database.reader.query<DeliveryRow>(
      sql`SELECT ${columns} FROM ${table} WHERE "id" = ${id} AND "webhook_id" = ${webhookId}`,
    );
    return row && { ...deliveryOf(row), eventAt: timeOf(row.event_at) };
  }

  /** Gives out ids for attempts, ascending, never again. */
  async nextIds(transaction: WriteTransaction, count: number): Promise<bigint[]> {
    const [counted] = await transaction.query<{ last_value: bigint | string }>(
      sql`UPDATE ${ids} SET "last_value" = "last_value" + ${count} RETURNING "last_value"`,
    );
    const last = BigInt(counted?.last_value ?? 0);
    return Array.from({ length: count }, (_, index) => last - BigInt(count - 1 - index));
  }

  /** Records attempts to send to these endpoints, those to each in the order in which they were made. */
  async add(transaction: WriteTransaction, endpoints: readonly AttemptsOfEndpoint[]): Promise<void> {
    const attempts = endpoints.flatMap(({ webhookId, attempts: made }) => made.map((attempt) => ({ webhookId, ...attempt })));
    if (attempts.length === 0) return;
    const given = await this.nextIds(transaction, attempts.filter(({ id }) => id === undefined).length);
    const rows = attempts.map((attempt) => [
      attempt.id ?? given.shift() ?? 0n,
      attempt.webhookId,
      attempt.eventId,
      attempt.type,
      attempt.eventAt.getTime(),
      attempt.attempt,
      attempt.status ?? null,
      attempt.error ?? null,
      attempt.durationMilliseconds,
      attempt.attemptedAt.getTime(),
      attempt.nextAttemptAt?.getTime() ?? null,
    ]);
    // An id that was promised may be used twice where an instance has died after the attempt: the first record stays.
    await insertRows(transaction, { table, columns: DELIVERY_COLUMNS, rows, suffix: sql`ON CONFLICT ("id") DO NOTHING` });
  }
}
