import type { Delivery, PendingDelivery } from './delivery.js';

type Integer = bigint | string;

/** The columns of a message that is to be sent, in the order of the rows that are written. */
export const PENDING_COLUMNS = ['webhook_id', 'event_id', 'type', 'event_at', 'attempt', 'due_at', 'delivery_id'] as const;

/** The columns of an attempt, in the order of the rows that are written. */
export const DELIVERY_COLUMNS = [
  'id',
  'webhook_id',
  'event_id',
  'type',
  'event_at',
  'attempt',
  'status',
  'error',
  'duration_milliseconds',
  'attempted_at',
  'next_attempt_at',
] as const;

export interface PendingRow {
  readonly webhook_id: Integer;
  readonly event_id: string;
  readonly type: string;
  readonly event_at: Integer;
  readonly attempt: Integer;
  readonly due_at: Integer;
  readonly delivery_id: Integer | null;
}

export interface DeliveryRow {
  readonly id: Integer;
  readonly webhook_id: Integer;
  readonly event_id: string;
  readonly type: string;
  readonly event_at: Integer;
  readonly attempt: Integer;
  readonly status: Integer | null;
  readonly error: string | null;
  readonly duration_milliseconds: Integer;
  readonly attempted_at: Integer;
  readonly next_attempt_at: Integer | null;
}

export function pendingOf(row: PendingRow): PendingDelivery {
  return {
    webhookId: BigInt(row.webhook_id),
    eventId: row.event_id,
    type: row.type,
    eventAt: timeOf(row.event_at),
    attempt: Number(row.attempt),
    dueAt: timeOf(row.due_at),
    ...(row.delivery_id !== null && { deliveryId: BigInt(row.delivery_id) }),
  };
}

export function deliveryOf(row: DeliveryRow): Delivery {
  return {
    id: BigInt(row.id),
    eventId: row.event_id,
    type: row.type,
    attempt: Number(row.attempt),
    ...(row.status !== null && { status: Number(row.status) }),
    ...(row.error !== null && { error: row.error }),
    durationMilliseconds: Number(row.duration_milliseconds),
    attemptedAt: timeOf(row.attempted_at),
    ...(row.next_attempt_at !== null && { nextAttemptAt: timeOf(row.next_attempt_at) }),
  };
}

export function timeOf(milliseconds: Integer): Date {
  return new Date(Number(milliseconds));
}
