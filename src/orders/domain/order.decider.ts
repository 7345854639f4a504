import type { Decider } from '#libs/event-sourcing';
import { OrderNotFoundError, OrderTransitionError, type orderErrors } from './order.errors.js';
import type { OrderEvent, OrderPlaced } from './order.events.js';
import type { OrderDetails, OrderStatus, OrderSnapshot } from './order.js';

export type OrderState = { readonly kind: 'none' } | ({ readonly kind: 'present' } & OrderDetails);

export interface PlaceOrder {
  readonly kind: 'place';
  readonly petId: bigint;
  readonly placedBy: bigint;
  readonly note: string | undefined;
  readonly now: Date;
  /** Milliseconds for which it reserves its animal. */
  readonly reservation: number;
}

export type OrderCommand =
  | PlaceOrder
  | { readonly kind: 'approve' | 'deliver'; readonly id: bigint; readonly now: Date }
  | { readonly kind: 'cancel'; readonly id: bigint; readonly now: Date; readonly reason: string | undefined }
  | { readonly kind: 'expire'; readonly id: bigint; readonly now: Date };

const TRANSITIONS: Readonly<Record<OrderStatus, readonly OrderStatus[]>> = {
  placed: ['approved', 'cancelled', 'expired'],
  approved: ['delivered', 'cancelled'],
  delivered: [],
  cancelled: [],
  expired: [],
};

/** The rules of an order. A command that changes nothing gives no event. */
export const orderDecider: Decider<OrderState, OrderCommand, OrderEvent> = { initialState: { kind: 'none' }, decide, evolve };

function decide(command: OrderCommand, state: OrderState): OrderEvent[] {
  if (command.kind === 'place') return [place(command)];
  if (state.kind === 'none') throw new OrderNotFoundError(command.id);
  switch (command.kind) {
    case 'approve':
      return transition(command, state, { to: 'approved', refusal: 'order_not_placed' }, { type: 'order-approved', data: {} });
    case 'deliver':
      return transition(command, state, { to: 'delivered', refusal: 'order_not_approved' }, { type: 'order-delivered', data: {} });
    case 'cancel': {
      const data = command.reason === undefined ? {} : { reason: command.reason };
      return transition(command, state, { to: 'cancelled', refusal: 'order_not_open' }, { type: 'order-cancelled', data });
    }
    case 'expire':
      return isOverdue(state, command.now) ? [{ type: 'order-expired', data: {} }] : [];
  }
}

function place({ petId, placedBy, note, now, reservation }: PlaceOrder): OrderPlaced {
  return {
    type: 'order-placed',
    data: {
      petId: petId.toString(),
      placedBy: placedBy.toString(),
      ...(note !== undefined && { note }),
      placedAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + reservation).toISOString(),
    },
  };
}

/** An order expires at the end of its reservation unless it was approved. */
function isOverdue({ status, expiresAt }: OrderDetails, now: Date): boolean {
  return status === 'placed' && expiresAt !== undefined && now >= expiresAt;
}

function transition(
  { id, now }: { readonly id: bigint; readonly now: Date },
  order: OrderDetails,
  { to, refusal }: { readonly to: OrderStatus; readonly refusal: keyof typeof orderErrors },
  event: OrderEvent,
): OrderEvent[] {
  if (order.status === to) return [];
  const status = isOverdue(order, now) ? 'expired' : order.status;
  if (TRANSITIONS[status].includes(to)) return [event];
  throw new OrderTransitionError(id, refusal, status, TRANSITIONS[status]);
}

function evolve(state: OrderState, event: OrderEvent): OrderState {
  if (event.type === 'order-placed') return { kind: 'present', ...toDetails(event) };
  if (state.kind === 'none') return state;
  switch (event.type) {
    case 'order-approved': {
      const { expiresAt: _over, ...approved } = state;
      return { ...approved, status: 'approved' };
    }
    case 'order-delivered':
      return { ...state, status: 'delivered' };
    case 'order-cancelled':
      return { ...state, status: 'cancelled' };
    case 'order-expired':
      return { ...state, status: 'expired' };
    default:
      // An event of a newer build.
      return state;
  }
}

function toDetails({ data: { petId, placedBy, note, placedAt, expiresAt } }: OrderPlaced): OrderDetails {
  return {
    petId: BigInt(petId),
    status: 'placed',
    ...(note !== undefined && { note }),
    placedAt: new Date(placedAt),
    expiresAt: new Date(expiresAt),
    placedBy: BigInt(placedBy),
  };
}

/** Converts the state of a stream. @throws OrderNotFoundError if the order was not placed */
export function toOrderSnapshot(id: bigint, { state, version }: { readonly state: OrderState; readonly version: number }): OrderSnapshot {
  if (state.kind === 'none') throw new OrderNotFoundError(id);
  const { kind: _kind, ...details } = state;
  return { id, version, ...details };
}

export type TimedOrderEvent = OrderEvent & { readonly recordedAt: Date };

/** Returns an order after an event, with the time of the event that ended it; undefined if it was not placed yet. */
export function evolveOrder(order: OrderDetails | undefined, event: TimedOrderEvent): OrderDetails | undefined {
  const state = evolve(order ? { kind: 'present', ...order } : { kind: 'none' }, event);
  if (state.kind === 'none') return undefined;
  const { kind: _kind, ...details } = state;
  return TRANSITIONS[details.status].length > 0 ? details : { ...details, endedAt: order?.endedAt ?? event.recordedAt };
}

/** Folds an order from the first events of its stream; undefined if it was not placed yet. */
export function foldOrder(id: bigint, events: readonly TimedOrderEvent[]): OrderSnapshot | undefined {
  const order = events.reduce<OrderDetails | undefined>(evolveOrder, undefined);
  return order && { id, version: events.length, ...order };
}
