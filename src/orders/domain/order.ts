/** Where an order is. `delivered`, `cancelled` and `expired` are final. */
export const ORDER_STATUSES = ['placed', 'approved', 'delivered', 'cancelled', 'expired'] as const;

export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** Those of an order that holds its animal. */
export const OPEN_STATUSES: readonly OrderStatus[] = ['placed', 'approved'];

/** How many animals an order is for: an animal is one of its kind. */
export const ORDER_QUANTITY = 1;

/** What is known of an order besides its id, as its events tell it. */
export interface OrderDetails {
  readonly petId: bigint;
  readonly status: OrderStatus;
  readonly note?: string;
  readonly placedAt: Date;
  /** From this moment on it holds its animal no longer, unless it was approved. */
  readonly expiresAt: Date;
  /** The number of the API key. */
  readonly placedBy: bigint;
}

/** An order as REST and the command line show it. */
export interface Order extends Omit<OrderDetails, 'placedBy'> {
  readonly id: bigint;
  readonly quantity: typeof ORDER_QUANTITY;
  /** How many events it has, from 1. */
  readonly version: number;
}

/** An order as it is, or was at some moment. */
export interface OrderSnapshot extends OrderDetails {
  readonly id: bigint;
  readonly version: number;
}

/** The category of the streams of orders, one stream an order. */
export const ORDER_CATEGORY = 'order';

/** The stream of the order with this id, such as `order-17`. */
export function orderStream(id: bigint): string {
  return `${ORDER_CATEGORY}-${id}`;
}

/** The id of the order whose stream this is. */
export function parseOrderId(stream: string): bigint {
  return BigInt(stream.slice(ORDER_CATEGORY.length + 1));
}

/** The order without who has placed it. */
export function toOrder({ id, petId, status, note, placedAt, expiresAt, version }: OrderSnapshot): Order {
  return { id, petId, quantity: ORDER_QUANTITY, status, placedAt, expiresAt, version, ...(note !== undefined && { note }) };
}
