import { Column } from 'typeorm';
import { columnTypes, optional } from '#libs/database';

/** `delivered`, `cancelled` and `expired` are final. */
export const ORDER_STATUSES = ['placed', 'approved', 'delivered', 'cancelled', 'expired'] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** Statuses of an order that reserves its animal. */
export const OPEN_STATUSES: readonly OrderStatus[] = ['placed', 'approved'];

/** Always one animal for an order. */
export const ORDER_QUANTITY = 1;

/** What the events of an order say about it, from which its row takes its columns. */
export class OrderFields {
  @Column(columnTypes.int64) readonly petId!: bigint;
  @Column(columnTypes.text) readonly status!: OrderStatus;
  @Column(optional(columnTypes.text)) readonly note?: string | undefined;
  @Column(columnTypes.time) readonly placedAt!: Date;
  /** End of the reservation; absent once the order was approved. */
  @Column(optional(columnTypes.time)) readonly expiresAt?: Date | undefined;
  /** When it was delivered, cancelled or expired; absent before. */
  @Column(optional(columnTypes.time)) readonly endedAt?: Date | undefined;
  /** The number of the API key. */
  @Column(columnTypes.int64) readonly placedBy!: bigint;
}

export type OrderDetails = Readonly<OrderFields>;

/** An order as REST and the command line show it. */
export interface Order extends Omit<OrderDetails, 'placedBy' | 'endedAt'> {
  readonly id: bigint;
  readonly quantity: typeof ORDER_QUANTITY;
  /** Number of its events, from 1. */
  readonly version: number;
}

/** An order now, or at an earlier moment. */
export interface OrderSnapshot extends OrderDetails {
  readonly id: bigint;
  readonly version: number;
}

/** The category of the streams, one for each order. */
export const ORDER_CATEGORY = 'order';

/** Returns the stream of an order, such as `order-17`. */
export function orderStream(id: bigint): string {
  return `${ORDER_CATEGORY}-${id}`;
}

/** Returns the members that REST shows. */
export function toOrder({ id, petId, status, note, placedAt, expiresAt, version }: OrderSnapshot): Order {
  return { id, petId, quantity: ORDER_QUANTITY, status, placedAt, expiresAt, version, note };
}
