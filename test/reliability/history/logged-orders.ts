import type { StoredEvent } from './history.js';
import { orderBodyOf, type ToldOrder } from './order-history.js';

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
  readonly id: string;
  readonly petId: string;
  readonly note: string | undefined;
  /** Of its first event. */
  readonly position: bigint;
  /** What a client could be told of it after each of its events. */
  readonly bodies: readonly string[];
}

type OrderData = Pick<ToldOrder, 'petId' | 'placedAt' | 'expiresAt' | 'note'>;

interface StatusData {
  readonly status: string;
  readonly orderId?: string;
}

/** The orders as a log tells them, and what in that log must not be. */
export class LoggedOrders {
  /** Ascending by position of the first event. */
  readonly byId = new Map<string, LoggedOrder & { readonly bodies: string[] }>();
  readonly byNote = new Map<string, LoggedOrder[]>();
  /** One sentence for each thing that no order and no reservation may be. */
  readonly violations: string[] = [];
  private readonly latest = new Map<string, ToldOrder>();
  /** The open orders of each animal that has any. */
  private readonly open = new Map<string, Set<string>>();

  /** @param events ascending by position */
  constructor(events: readonly StoredEvent[]) {
    for (const [index, event] of events.entries()) {
      if (event.stream.startsWith('order-')) this.read(event, events[index + 1]);
      else if (event.type === 'pet-status-set') this.checkReservation(event, events[index - 1]);
    }
  }

  private read(event: StoredEvent, next: StoredEvent | undefined): void {
    const id = event.stream.slice('order-'.length);
    const before = this.latest.get(id);
    const step = STEPS[event.type];
    if (!step?.from.includes(before?.status)) {
      this.violations.push(`${event.type} at position ${event.position} follows on order ${id} that is ${before?.status ?? 'not there'}`);
    }
    const placed = before ?? (JSON.parse(event.data) as OrderData);
    const order: ToldOrder = { ...placed, id, status: step?.to ?? 'unknown', version: event.version };
    this.latest.set(id, order);
    this.tell(order, event);
    this.countOpen(order, event);
    if (step?.petStatus !== undefined && !isReservation(next, { ...order, status: step.petStatus })) {
      this.violations.push(
        `${event.type} of order ${id} at position ${event.position} is not followed by animal ${order.petId} becoming ${step.petStatus}`,
      );
    }
  }

  private tell(order: ToldOrder, { position }: StoredEvent): void {
    const { id, petId, note } = order;
    const known = this.byId.get(id) ?? { id, petId, note, position, bodies: [] };
    known.bodies.push(orderBodyOf(order));
    if (!this.byId.has(id) && note !== undefined) this.byNote.set(note, [...(this.byNote.get(note) ?? []), known]);
    this.byId.set(id, known);
  }

  private countOpen({ id, petId, status }: ToldOrder, { position }: StoredEvent): void {
    const open = this.open.get(petId) ?? new Set();
    if (['placed', 'approved'].includes(status)) open.add(id);
    else open.delete(id);
    this.open.set(petId, open);
    if (open.size > 1) this.violations.push(`animal ${petId} has the open orders ${[...open].join(', ')} at position ${position}`);
  }

  /** No animal is reserved for an order, or set free of one, but right behind the event of that order. */
  private checkReservation(event: StoredEvent, before: StoredEvent | undefined): void {
    const { status, orderId } = JSON.parse(event.data) as StatusData;
    if (orderId === undefined) return;
    const petStatus = before?.stream === `order-${orderId}` ? STEPS[before.type]?.petStatus : undefined;
    if (petStatus !== status) {
      this.violations.push(`${event.stream} becomes ${status} for order ${orderId} at position ${event.position}, where that has no event`);
    }
  }
}

function isReservation(event: StoredEvent | undefined, { id, petId, status }: ToldOrder): boolean {
  if (event?.type !== 'pet-status-set' || event.stream !== `pet-${petId}`) return false;
  const data = JSON.parse(event.data) as StatusData;
  return data.status === status && data.orderId === id;
}
