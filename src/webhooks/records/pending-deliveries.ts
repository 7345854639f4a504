import { Injectable } from '@nestjs/common';
import { Database, identifier, insertRows, isOneOf, raw, sql, type WriteTransaction } from '#libs/database';
import { PENDING_COLUMNS, pendingOf, type PendingRow } from './delivery-rows.js';
import type { PendingDelivery } from './delivery.js';

export const PENDING_TABLE = 'webhook_pending';

const table = identifier(PENDING_TABLE);
const columns = raw(PENDING_COLUMNS.map((column) => `"${column}"`).join(', '));

/** The messages that are to be sent when their time has come: once more, by hand, or as a test. One at most of each event to an endpoint. */
@Injectable()
export class PendingDeliveries {
  constructor(private readonly database: Database) {}

  /** Those to these endpoints whose time has come, the oldest first. */
  async due(webhookIds: readonly bigint[], now: Date, limit: number): Promise<PendingDelivery[]> {
    if (webhookIds.length === 0) return [];
    const rows = await this.database.reader.query<PendingRow>(
      sql`SELECT ${columns} FROM ${table} WHERE "due_at" <= ${now.getTime()} AND "webhook_id" ${isOneOf(webhookIds)}
          ORDER BY "due_at" LIMIT ${limit}`,
    );
    return rows.map(pendingOf);
  }

  /** When the oldest event happened that is to be sent once more; undefined where there is none. */
  async oldestEvent(): Promise<Date | undefined> {
    const [row] = await this.database.reader.query<{ oldest: bigint | string | null }>(
      sql`SELECT min("event_at") AS "oldest" FROM ${table} WHERE "attempt" > 1`,
    );
    return row?.oldest === null || row?.oldest === undefined ? undefined : new Date(Number(row.oldest));
  }

  /** Has a message sent. One of the event that waits already is sent then in place of later, and counts its attempts on. */
  async add(transaction: WriteTransaction, delivery: PendingDelivery): Promise<void> {
    await this.insert(
      transaction,
      [delivery],
      sql`ON CONFLICT ("webhook_id", "event_id") DO UPDATE
      SET "due_at" = excluded."due_at", "delivery_id" = excluded."delivery_id"`,
    );
  }

  /** Has messages sent whose first attempt has failed, unless they wait already. */
  async addFailed(transaction: WriteTransaction, deliveries: readonly PendingDelivery[]): Promise<void> {
    await this.insert(transaction, deliveries, sql`ON CONFLICT ("webhook_id", "event_id") DO NOTHING`);
  }

  /**
   * Has a message that was due sent at another time, or no more where that is undefined; not one that was made due anew meanwhile.
   * @param was as it was read
   */
  async settle(transaction: WriteTransaction, was: PendingDelivery, next: Date | undefined): Promise<void> {
    const condition = sql`"webhook_id" = ${was.webhookId} AND "event_id" = ${was.eventId} AND "due_at" = ${was.dueAt.getTime()}`;
    await transaction.query(
      next
        ? sql`UPDATE ${table} SET "due_at" = ${next.getTime()}, "attempt" = ${was.attempt + 1}, "delivery_id" = NULL WHERE ${condition}`
        : sql`DELETE FROM ${table} WHERE ${condition}`,
    );
  }

  /** Forgets all that waits for these endpoints. */
  async clear(transaction: WriteTransaction, webhookIds: readonly bigint[]): Promise<void> {
    await transaction.query(sql`DELETE FROM ${table} WHERE "webhook_id" ${isOneOf(webhookIds)}`);
  }

  private async insert(
    transaction: WriteTransaction,
    deliveries: readonly PendingDelivery[],
    suffix: ReturnType<typeof sql>,
  ): Promise<void> {
    const rows = deliveries.map(({ webhookId, eventId, type, eventAt, attempt, dueAt, deliveryId }) => [
      webhookId,
      eventId,
      type,
      eventAt.getTime(),
      attempt,
      dueAt.getTime(),
      deliveryId ?? null,
    ]);
    await insertRows(transaction, { table, columns: PENDING_COLUMNS, rows, suffix });
  }
}
