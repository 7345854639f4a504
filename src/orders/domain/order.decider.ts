import type { Decider } from '#libs/event-sourcing';
import { OrderNotFoundError, OrderTransitionError } from './order.errors.js';
import type { OrderEvent, OrderPlaced } from './order.events.js';
import { orderTransitions, type OrderTransition } from './order.transitions.js';
import type { OrderDetails, OrderSnapshot, OrderStatus } from './order.js';

/** Undefined before it is placed. */
export type OrderState = OrderDetails | undefined;

interface PlaceOrder {
  readonly kind: 'place';
  readonly petId: bigint;
  readonly placedBy: bigint;
  readonly note: string | undefined;
  readonly now: Date;
  /** Milliseconds for which it reserves its animal. */
  readonly reservation: number;
}

interface ChangeOrder {
  readonly kind: OrderTransition;
  readonly id: bigint;
  readonly now: Date;
  readonly reason?: string | undefined;
}

export type OrderCommand = PlaceOrder | ChangeOrder;

/** The rules of an order. A command that changes nothing gives no event. */
export const orderDecider: Decider<OrderState, OrderCommand, OrderEvent> = { initialState: undefined, decide, evolve };

const byEvent = new Map(Object.values(orderTransitions).map((transition) => [transition.event, transition]));

function decide(command: OrderCommand, order: OrderState): OrderEvent[] {
  if (command.kind === 'place') return [place(command)];
  if (!order) throw new OrderNotFoundError(command.id);
  return change(command, order);
}

function place({ petId, placedBy, note, now, reservation }: PlaceOrder): OrderPlaced {
  return {
    type: 'order-placed',
    data: {
      petId: petId.toString(),
      placedBy: placedBy.toString(),
      note,
      placedAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + reservation).toISOString(),
    },
  };
}

function change({ kind, id, now, reason }: ChangeOrder, order: OrderDetails): OrderEvent[] {
  const { from, to, event, by, refusal } = orderTransitions[kind];
  if (order.status === to) return [];
  const isOverdue = order.status === 'placed' && order.expiresAt !== undefined && now >= order.expiresAt;
  const status = isOverdue ? 'expired' : order.status;
  // The data of every transition is a reason or nothing.
  if (by === 'time' ? isOverdue : from.includes(status)) return [{ type: event, data: { reason } } as OrderEvent];
  if (refusal === undefined) return [];
  throw new OrderTransitionError(id, refusal, status, listNext(status));
}

function listNext(status: OrderStatus): OrderStatus[] {
  return Object.values(orderTransitions).flatMap(({ from, to }) => (from.includes(status) ? [to] : []));
}

/** An event of a newer build changes nothing. */
function evolve(order: OrderState, event: OrderEvent): OrderState {
  if (event.type === 'order-placed') return toDetails(event);
  const transition = byEvent.get(event.type);
  if (!order || !transition) return order;
  return { ...order, status: transition.to, expiresAt: transition.animal === 'hold' ? undefined : order.expiresAt };
}

function toDetails({ data: { petId, placedBy, note, placedAt, expiresAt } }: OrderPlaced): OrderDetails {
  return {
    petId: BigInt(petId),
    status: 'placed',
    note,
    placedAt: new Date(placedAt),
    expiresAt: new Date(expiresAt),
    placedBy: BigInt(placedBy),
  };
}

/** Converts the state of a stream. @throws OrderNotFoundError if the order was not placed */
export function toOrderSnapshot(id: bigint, { state, version }: { readonly state: OrderState; readonly version: number }): OrderSnapshot {
  if (!state) throw new OrderNotFoundError(id);
  return { id, version, ...state };
}
