import type { OrderSnapshot, OrderStatus } from '../domain/order.js';

/** The columns of the table of orders, in the order of `valuesOf`. Times are in milliseconds since 1970. */
export const ORDER_COLUMNS = ['id', 'pet_id', 'status', 'note', 'placed_at', 'expires_at', 'placed_by', 'version'] as const;

type Integer = bigint | string;

/** A row as a driver gives it. */
export interface OrderRow {
  readonly id: Integer;
  readonly pet_id: Integer;
  readonly status: OrderStatus;
  readonly note: string | null;
  readonly placed_at: Integer;
  readonly expires_at: Integer;
  readonly placed_by: Integer;
  readonly version: Integer;
}

export function valuesOf({ id, petId, status, note, placedAt, expiresAt, placedBy, version }: OrderSnapshot) {
  return [id, petId, status, note ?? null, placedAt.getTime(), expiresAt.getTime(), placedBy, version];
}

export function snapshotOf(row: OrderRow): OrderSnapshot {
  return {
    id: BigInt(row.id),
    petId: BigInt(row.pet_id),
    status: row.status,
    ...(row.note !== null && { note: row.note }),
    placedAt: new Date(Number(row.placed_at)),
    expiresAt: new Date(Number(row.expires_at)),
    placedBy: BigInt(row.placed_by),
    version: Number(row.version),
  };
}
