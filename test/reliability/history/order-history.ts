import type { AddAttempt, Outcome } from './history.js';

type Times = Pick<AddAttempt, 'begun' | 'ended'>;

/** An order as a client means to place it. No two that differ have one note. */
export interface Ordering {
  readonly petId: string;
  readonly note: string;
  readonly idempotencyKey: string;
}

/** One `POST /v1/store/orders`; a repetition is an attempt of its own. */
export interface OrderAttempt extends Times {
  readonly ordering: Ordering;
  readonly outcome: Outcome;
}

/** One `POST /v1/store/orders/{orderId}/…`. */
export interface MoveAttempt extends Times {
  readonly orderId: string;
  readonly move: 'approve' | 'deliver' | 'cancel';
  readonly outcome: Outcome;
}

/** Everything that clients sent and saw of orders and of the animals that they ordered. */
export interface OrderHistory {
  readonly adds: readonly AddAttempt[];
  readonly orders: readonly OrderAttempt[];
  readonly moves: readonly MoveAttempt[];
}

/** What is there of orders. */
export interface FinalOrders {
  /** The rows of their table as the bodies that a client should get, ascending by id. */
  readonly rows: readonly string[];
  /** The list as a client walks it by cursor, each order in the bytes of the answer. */
  readonly listed: readonly string[];
}

/** An order as a client is told of it. Times are RFC 3339 in UTC. */
export interface ToldOrder extends Pick<Ordering, 'petId'> {
  readonly id: string;
  readonly status: string;
  readonly placedAt: string;
  readonly expiresAt: string;
  readonly version: bigint;
  readonly note?: string;
}

/** The body that tells a client of an order, byte for byte. */
export function orderBodyOf({ id, petId, status, placedAt, expiresAt, version, note }: ToldOrder): string {
  const times = `"placedAt":"${placedAt}","expiresAt":"${expiresAt}"`;
  const noted = note === undefined ? '' : `,"note":${JSON.stringify(note)}`;
  return `{"id":${id},"petId":${petId},"quantity":1,"status":"${status}",${times},"version":${version}${noted}}`;
}
