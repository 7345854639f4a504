import { Injectable } from '@nestjs/common';
import { Database, entityTable, isOneOf, join, raw, type RetentionRule, sql, type WriteTransaction } from '#libs/database';
import { toPage, type Page, type PageRange } from '#libs/event-sourcing';
import { DeliveryIds, DeliveryRow, PendingDelivery } from './delivery.entity.js';

/** Removes attempts 30 days after they were made. */
export const deliveryRetention: RetentionRule = { entity: DeliveryRow, since: 'attemptedAt', keepFor: 30 * 24 * 3_600_000 };

/** An attempt that is not recorded yet; it gets an id then unless it was promised one. */
export type NewDelivery = Omit<DeliveryRow, 'id'> & { readonly id?: bigint | undefined };

/** An attempt as it is shown to the owner of the endpoint. */
export type Delivery = Omit<DeliveryRow, 'webhookId' | 'eventAt'>;

/** The result of one attempt to send a message, or of a due message that can no longer be sent. */
export interface DeliveryResult {
  /** Undefined if the message can no longer be sent. */
  readonly attempt?: NewDelivery;
  /** The due message that was sent; undefined if it was sent for the first time. */
  readonly due?: PendingDelivery | undefined;
}

const deliveries = entityTable(DeliveryRow);
const pending = entityTable(PendingDelivery);
const SAME_EVENT = sql`ON CONFLICT ("webhook_id", "event_id")`;

/** The attempts to send messages to endpoints, and the messages that are due some time: at most one of each event to an endpoint. */
@Injectable()
export class DeliveryStore {
  constructor(private readonly database: Database) {}

  /**
   * Returns one page of the attempts to send to each of these endpoints, the newest first unless `descending` is false; `after` is an
   * attempt's id. One statement for all.
   */
  async pages(webhookIds: readonly bigint[], { limit, after, descending = true }: PageRange): Promise<ReadonlyMap<bigint, Page<Delivery>>> {
    if (webhookIds.length === 0) return new Map();
    const follows = after === undefined ? sql`` : sql`AND "id" ${raw(descending ? '<' : '>')} ${after}`;
    const order = raw(descending ? 'ORDER BY "id" DESC' : 'ORDER BY "id"');
    const ranges = webhookIds.map(
      (id, index) =>
        sql`SELECT * FROM (SELECT ${deliveries.selected} FROM ${deliveries.quoted} WHERE "webhook_id" = ${id} ${follows}
            ${order} LIMIT ${limit + 1}) AS ${raw(`"range_${index}"`)}`,
    );
    const rows = await deliveries.read(this.database.reader, sql`(${join(ranges, ' UNION ALL ')}) AS "found"`, order);
    const found = new Map<bigint, Delivery[]>(webhookIds.map((id) => [id, []]));
    for (const { webhookId, eventAt: _eventAt, ...delivery } of rows) found.get(webhookId)?.push(delivery);
    return new Map([...found].map(([id, attempts]) => [id, toPage(attempts, limit, (attempt) => attempt.id)]));
  }

  /** Returns the number of attempts to send to each of these endpoints; omits endpoints without any. */
  async counts(webhookIds: readonly bigint[]): Promise<ReadonlyMap<bigint, number>> {
    const rows = await this.database.reader.query<{ id: bigint | string; total: bigint | string }>(
      sql`SELECT "webhook_id" AS "id", count(*) AS "total" FROM ${deliveries.quoted} WHERE "webhook_id" ${isOneOf(webhookIds)} GROUP BY "webhook_id"`,
    );
    return new Map(rows.map(({ id, total }) => [BigInt(id), Number(total)]));
  }

  /** Returns one attempt to send to an endpoint; undefined if there is none or it was removed. */
  async find(webhookId: bigint, id: bigint): Promise<DeliveryRow | undefined> {
    const ofEndpoint = sql`WHERE "id" = ${id} AND "webhook_id" = ${webhookId}`;
    const [found] = await deliveries.read(this.database.reader, deliveries.quoted, ofEndpoint);
    return found;
  }

  /** Assigns ids to attempts, ascending, each only once. */
  async nextIds(transaction: WriteTransaction, count: number): Promise<bigint[]> {
    const [counted] = await transaction.query<{ last_value: bigint | string }>(
      sql`UPDATE ${entityTable(DeliveryIds).quoted} SET "last_value" = "last_value" + ${count} RETURNING "last_value"`,
    );
    const last = BigInt(counted?.last_value ?? 0);
    return Array.from({ length: count }, (_, index) => last - BigInt(count - 1 - index));
  }

  /** Records the results of messages, those of an endpoint in the order in which they were sent, and what is to be sent again. */
  async record(transaction: WriteTransaction, results: readonly DeliveryResult[]): Promise<void> {
    await this.add(transaction, listAttempts(results));
    for (const { due } of results) if (due) this.settle(transaction, due);
    // Retries of due messages come first, so that they continue to count their attempts.
    const [due, first] = [results.filter((result) => result.due), results.filter((result) => !result.due)];
    this.scheduleRetries(transaction, listAttempts([...due, ...first]));
  }

  /** Returns the messages to these endpoints that are due, the oldest first. */
  async due(webhookIds: readonly bigint[], now: Date, limit: number): Promise<PendingDelivery[]> {
    if (webhookIds.length === 0) return [];
    const areDue = sql`WHERE "due_at" <= ${now.getTime()} AND "webhook_id" ${isOneOf(webhookIds)}`;
    return pending.read(this.database.reader, pending.quoted, sql`${areDue} ORDER BY "due_at" LIMIT ${limit}`);
  }

  /** Returns when the oldest event happened that is to be sent again, in milliseconds since 1970; Infinity if there is none. */
  async oldestRetriedEvent(): Promise<number> {
    const [row] = await this.database.reader.query<{ oldest: bigint | string | null }>(
      sql`SELECT min("event_at") AS "oldest" FROM ${pending.quoted} WHERE "attempt" > 1`,
    );
    return Number(row?.oldest ?? Infinity);
  }

  /** Schedules a message. If one of the same event is pending, it is due then instead, and continues to count its attempts. */
  schedule(transaction: WriteTransaction, delivery: PendingDelivery): void {
    const suffix = sql`${SAME_EVENT} DO UPDATE SET "due_at" = excluded."due_at", "delivery_id" = excluded."delivery_id"`;
    pending.insert(transaction, [delivery], { suffix });
  }

  private async add(transaction: WriteTransaction, attempts: readonly NewDelivery[]): Promise<void> {
    if (attempts.length === 0) return;
    const ids = await this.nextIds(transaction, attempts.filter(({ id }) => id === undefined).length);
    const rows = attempts.map((attempt) => ({ ...attempt, id: attempt.id ?? ids.shift() ?? 0n }));
    // A promised id comes twice if an instance dies after the attempt: the first record stays.
    deliveries.insert(transaction, rows, { suffix: sql`ON CONFLICT ("id") DO NOTHING` });
  }

  /** Removes a message that was due, unless it was scheduled again meanwhile. */
  private settle(transaction: WriteTransaction, { webhookId, eventId, dueAt }: PendingDelivery): void {
    transaction.execute(
      sql`DELETE FROM ${pending.quoted} WHERE "webhook_id" = ${webhookId} AND "event_id" = ${eventId} AND "due_at" = ${dueAt.getTime()}`,
    );
  }

  /** Schedules the messages that follow failed attempts, unless one of the same event is pending. */
  private scheduleRetries(transaction: WriteTransaction, attempts: readonly NewDelivery[]): void {
    const retries = attempts.flatMap(({ attempt, nextAttemptAt: dueAt, webhookId, eventId, type, eventAt }) =>
      dueAt ? [{ webhookId, eventId, type, eventAt, attempt: attempt + 1, dueAt }] : [],
    );
    pending.insert(transaction, retries, { suffix: sql`${SAME_EVENT} DO NOTHING` });
  }
}

function listAttempts(results: readonly DeliveryResult[]): NewDelivery[] {
  return results.flatMap(({ attempt }) => attempt ?? []);
}
