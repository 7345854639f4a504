import { Injectable } from '@nestjs/common';
import { Database, identifier, insertRows, isOneOf, join, raw, sql, type SqlFragment, type WriteTransaction } from '#libs/database';
import type { RetentionRule } from '#libs/observability';
import type { Page, PageRange } from '#libs/event-sourcing';

export const DELIVERIES_TABLE = 'webhook_deliveries';
export const PENDING_TABLE = 'webhook_pending';
export const DELIVERY_IDS_TABLE = 'webhook_delivery_ids';

/** Removes attempts 30 days after they were made. */
export const deliveryRetention: RetentionRule = {
  table: DELIVERIES_TABLE,
  key: ['id'],
  storedAt: 'attempted_at',
  keepFor: 30 * 24 * 3_600_000,
};

/** An attempt to send an event to an endpoint. */
interface EventAttempt {
  readonly webhookId: bigint;
  /** The id of the event or of the test. */
  readonly eventId: string;
  readonly type: string;
  /** When the event happened, or the test was requested. */
  readonly eventAt: Date;
  /** From 1. */
  readonly attempt: number;
}

/** A message to an endpoint that is due some time: a retry, an event to be sent again, or a test. */
export interface PendingDelivery extends EventAttempt {
  readonly dueAt: Date;
  /** The id that the next attempt was promised; undefined if none was. */
  readonly deliveryId?: bigint;
}

/** An attempt that is not recorded yet; it gets an id then unless it was promised one. */
export interface NewDelivery extends EventAttempt {
  readonly id?: bigint | undefined;
  /** The status of the response; undefined if there was none. */
  readonly status?: number;
  /** Why it failed, for the owner of the endpoint; undefined if it succeeded. */
  readonly error?: string;
  readonly durationMilliseconds: number;
  readonly attemptedAt: Date;
  /** Undefined if the message was delivered or given up. */
  readonly nextAttemptAt?: Date;
}

/** One attempt to send a message, and its outcome. */
export interface Delivery extends Omit<NewDelivery, 'webhookId' | 'eventAt'> {
  readonly id: bigint;
}

/** The result of one attempt to send a message, or of a due message that can no longer be sent. */
export interface DeliveryResult {
  /** Undefined if the message can no longer be sent. */
  readonly attempt?: NewDelivery;
  /** The due message that was sent; undefined if it was sent for the first time. */
  readonly due?: PendingDelivery | undefined;
}

type Integer = bigint | string;

type EventRow = Readonly<Record<'webhook_id' | 'event_at' | 'attempt', Integer> & Record<'event_id' | 'type', string>>;
type PendingRow = EventRow & { readonly due_at: Integer; readonly delivery_id: Integer | null };
type DeliveryRow = EventRow &
  Readonly<Record<'id' | 'duration_milliseconds' | 'attempted_at', Integer> & Record<'status' | 'next_attempt_at', Integer | null>> & {
    readonly error: string | null;
  };

const deliveries = identifier(DELIVERIES_TABLE);
const pending = identifier(PENDING_TABLE);
const EVENT_COLUMNS = ['webhook_id', 'event_id', 'type', 'event_at', 'attempt'] as const;
const PENDING_COLUMNS = [...EVENT_COLUMNS, 'due_at', 'delivery_id'] as const;
const OUTCOME_COLUMNS = ['status', 'error', 'duration_milliseconds', 'attempted_at', 'next_attempt_at'] as const;
const DELIVERY_COLUMNS = [...EVENT_COLUMNS, 'id', ...OUTCOME_COLUMNS] as const;
const pendingColumns = join(PENDING_COLUMNS.map(identifier));
const deliveryColumns = join(DELIVERY_COLUMNS.map(identifier));
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
        sql`SELECT ${deliveryColumns} FROM (SELECT ${deliveryColumns} FROM ${deliveries} WHERE "webhook_id" = ${id} ${follows}
            ${order} LIMIT ${limit + 1}) AS ${raw(`"range_${index}"`)}`,
    );
    const rows = await this.database.reader.query<DeliveryRow>(sql`${join(ranges, ' UNION ALL ')} ${order}`);
    const found = new Map<bigint, Delivery[]>(webhookIds.map((id) => [id, []]));
    for (const row of rows) found.get(BigInt(row.webhook_id))?.push(toDelivery(row));
    const pages = new Map<bigint, Page<Delivery>>();
    for (const [id, attempts] of found) {
      const items = attempts.slice(0, limit);
      pages.set(id, { items, next: attempts.length > limit ? items.at(-1)?.id : undefined });
    }
    return pages;
  }

  /** Returns the number of attempts to send to each of these endpoints; omits endpoints without any. */
  async counts(webhookIds: readonly bigint[]): Promise<ReadonlyMap<bigint, number>> {
    const rows = await this.database.reader.query<{ id: bigint | string; total: bigint | string }>(
      sql`SELECT "webhook_id" AS "id", count(*) AS "total" FROM ${deliveries} WHERE "webhook_id" ${isOneOf(webhookIds)} GROUP BY "webhook_id"`,
    );
    return new Map(rows.map(({ id, total }) => [BigInt(id), Number(total)]));
  }

  /** Returns one attempt to send to an endpoint, with the time of its event; undefined if there is none or it was removed. */
  async find(webhookId: bigint, id: bigint): Promise<(Delivery & { readonly eventAt: Date }) | undefined> {
    const [row] = await this.database.reader.query<DeliveryRow>(
      sql`SELECT ${deliveryColumns} FROM ${deliveries} WHERE "id" = ${id} AND "webhook_id" = ${webhookId}`,
    );
    return row && { ...toDelivery(row), eventAt: toDate(row.event_at) };
  }

  /** Assigns ids to attempts, ascending, each only once. */
  async nextIds(transaction: WriteTransaction, count: number): Promise<bigint[]> {
    const [counted] = await transaction.query<{ last_value: Integer }>(
      sql`UPDATE ${identifier(DELIVERY_IDS_TABLE)} SET "last_value" = "last_value" + ${count} RETURNING "last_value"`,
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
    const rows = await this.database.reader.query<PendingRow>(
      sql`SELECT ${pendingColumns} FROM ${pending} WHERE "due_at" <= ${now.getTime()} AND "webhook_id" ${isOneOf(webhookIds)}
          ORDER BY "due_at" LIMIT ${limit}`,
    );
    return rows.map(toPendingDelivery);
  }

  /** Returns when the oldest event happened that is to be sent again, in milliseconds since 1970; Infinity if there is none. */
  async oldestRetriedEvent(): Promise<number> {
    const [row] = await this.database.reader.query<{ oldest: Integer | null }>(
      sql`SELECT min("event_at") AS "oldest" FROM ${pending} WHERE "attempt" > 1`,
    );
    return Number(row?.oldest ?? Infinity);
  }

  /** Schedules a message. If one of the same event is pending, it is due then instead, and continues to count its attempts. */
  schedule(transaction: WriteTransaction, delivery: PendingDelivery): void {
    const suffix = sql`${SAME_EVENT} DO UPDATE SET "due_at" = excluded."due_at", "delivery_id" = excluded."delivery_id"`;
    insertPending(transaction, [delivery], suffix);
  }

  private async add(transaction: WriteTransaction, attempts: readonly NewDelivery[]): Promise<void> {
    if (attempts.length === 0) return;
    const ids = await this.nextIds(transaction, attempts.filter(({ id }) => id === undefined).length);
    const rows = attempts.map((attempt) => [
      ...toEventValues(attempt),
      attempt.id ?? ids.shift() ?? 0n,
      attempt.status ?? null,
      attempt.error ?? null,
      attempt.durationMilliseconds,
      attempt.attemptedAt.getTime(),
      attempt.nextAttemptAt?.getTime() ?? null,
    ]);
    // A promised id comes twice if an instance dies after the attempt: the first record stays.
    insertRows(transaction, { table: deliveries, columns: DELIVERY_COLUMNS, rows, suffix: sql`ON CONFLICT ("id") DO NOTHING` });
  }

  /** Removes a message that was due, unless it was scheduled again meanwhile. */
  private settle(transaction: WriteTransaction, { webhookId, eventId, dueAt }: PendingDelivery): void {
    transaction.execute(
      sql`DELETE FROM ${pending} WHERE "webhook_id" = ${webhookId} AND "event_id" = ${eventId} AND "due_at" = ${dueAt.getTime()}`,
    );
  }

  /** Schedules the messages that follow failed attempts, unless one of the same event is pending. */
  private scheduleRetries(transaction: WriteTransaction, attempts: readonly NewDelivery[]): void {
    const retries = attempts.flatMap(({ attempt, nextAttemptAt: dueAt, webhookId, eventId, type, eventAt }) =>
      dueAt ? [{ webhookId, eventId, type, eventAt, attempt: attempt + 1, dueAt }] : [],
    );
    insertPending(transaction, retries, sql`${SAME_EVENT} DO NOTHING`);
  }
}

function listAttempts(results: readonly DeliveryResult[]): NewDelivery[] {
  return results.flatMap(({ attempt }) => attempt ?? []);
}

function insertPending(transaction: WriteTransaction, messages: readonly PendingDelivery[], suffix: SqlFragment): void {
  const rows = messages.map((message) => [...toEventValues(message), message.dueAt.getTime(), message.deliveryId ?? null]);
  insertRows(transaction, { table: pending, columns: PENDING_COLUMNS, rows, suffix });
}

/** In the order of `EVENT_COLUMNS`. */
function toEventValues({ webhookId, eventId, type, eventAt, attempt }: EventAttempt) {
  return [webhookId, eventId, type, eventAt.getTime(), attempt];
}

function toEventAttempt({ webhook_id, event_id, type, event_at, attempt }: EventRow): EventAttempt {
  return { webhookId: BigInt(webhook_id), eventId: event_id, type, eventAt: toDate(event_at), attempt: Number(attempt) };
}

function toPendingDelivery({ due_at, delivery_id, ...row }: PendingRow): PendingDelivery {
  return { ...toEventAttempt(row), dueAt: toDate(due_at), ...(delivery_id !== null && { deliveryId: BigInt(delivery_id) }) };
}

function toDelivery(row: DeliveryRow): Delivery {
  const { webhookId: _webhookId, eventAt: _eventAt, ...event } = toEventAttempt(row);
  return {
    id: BigInt(row.id),
    ...event,
    ...(row.status !== null && { status: Number(row.status) }),
    ...(row.error !== null && { error: row.error }),
    durationMilliseconds: Number(row.duration_milliseconds),
    attemptedAt: toDate(row.attempted_at),
    ...(row.next_attempt_at !== null && { nextAttemptAt: toDate(row.next_attempt_at) }),
  };
}

function toDate(milliseconds: Integer): Date {
  return new Date(Number(milliseconds));
}
