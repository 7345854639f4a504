import { orderBodyOf, type StoredEvent, type ToldOrder } from './history.js';

interface Step {
  /** Where the order goes. */
  readonly to: string;
  readonly from: readonly (string | undefined)[];
  /** The status that its animal has to get right behind; none where it keeps its own. */
  readonly petStatus?: string;
}

const STEPS: Readonly<Record<string, Step>> = {
  'order-placed': { to: 'placed', from: [undefined], petStatus: 'pending' },
  'order-approved': { to: 'approved', from: ['placed'] },
  'order-delivered': { to: 'delivered', from: ['approved'], petStatus: 'sold' },
  'order-cancelled': { to: 'cancelled', from: ['placed', 'approved'], petStatus: 'available' },
  'order-expired': { to: 'expired', from: ['placed'], petStatus: 'available' },
};

/** An order of the log. */
export interface LoggedOrder {
  /** As its last event left it. */
  latest: ToldOrder;
  /** Of its first event. */
  readonly position: bigint;
  /** What a client could be told of it after each of its events. */
  readonly bodies: string[];
}

/** The orders as a log tells them, by their ids, with one sentence for each thing that no order and no reservation may be. */
export function ordersOf(events: readonly StoredEvent[]): {
  readonly orders: ReadonlyMap<string, LoggedOrder>;
  readonly violations: string[];
} {
  const orders = new Map<string, LoggedOrder>();
  /** The order that each animal is reserved for. */
  const open = new Map<string, string>();
  const violations: string[] = [];
  const read = ({ stream, type, data, version, position }: StoredEvent, next: StoredEvent | undefined): void => {
    const id = stream.slice('order-'.length);
    const before = orders.get(id);
    const { to, from, petStatus }: Step = STEPS[type] ?? { to: 'unknown', from: [] };
    const status = before?.latest.status;
    if (!from.includes(status)) violations.push(`${type} at position ${position} follows on order ${id} that is ${status ?? 'not there'}`);
    const { expiresAt, ...known } = before?.latest ?? (JSON.parse(data) as ToldOrder);
    // An approved order does not expire.
    const expiry = expiresAt === undefined || to === 'approved' ? {} : { expiresAt };
    const order: ToldOrder = { ...known, ...expiry, id, status: to, version };
    orders.set(id, { position, ...before, latest: order, bodies: [...(before?.bodies ?? []), orderBodyOf(order)] });
    const { petId } = order;
    const other = open.get(petId) ?? id;
    if (other !== id) violations.push(`animal ${petId} has the open orders ${other}, ${id} at position ${position}`);
    if (['placed', 'approved'].includes(to)) open.set(petId, id);
    else open.delete(petId);
    if (petStatus !== undefined && !(next?.stream === `pet-${petId}` && isReservation(next, petStatus, id))) {
      violations.push(`${type} of order ${id} at position ${position} is not followed by animal ${petId} becoming ${petStatus}`);
    }
  };
  for (const [index, event] of events.entries()) {
    if (event.stream.startsWith('order-')) read(event, events[index + 1]);
    else if (event.type === 'pet-status-set') violations.push(...checkReservation(event, events[index - 1]));
  }
  return { orders, violations };
}

/** No animal is reserved for an order, or set free of one, but right behind the event of that order. */
function checkReservation(event: StoredEvent, before: StoredEvent | undefined): string[] {
  const { status, orderId } = JSON.parse(event.data) as { readonly status: string; readonly orderId?: string };
  const petStatus = before?.stream === `order-${orderId}` ? STEPS[before.type]?.petStatus : undefined;
  if (orderId === undefined || petStatus === status) return [];
  return [`${event.stream} becomes ${status} for order ${orderId} at position ${event.position}, where that has no event`];
}

function isReservation({ type, data }: StoredEvent, wanted: string, id: string): boolean {
  const { status, orderId } = JSON.parse(data) as { readonly status?: string; readonly orderId?: string };
  return type === 'pet-status-set' && status === wanted && orderId === id;
}
