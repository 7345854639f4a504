import { EventStore, type RecordedEvent } from '#libs/event-sourcing';

const PAGE = 1_000;

/** The events that may follow each of an order's; the first one follows none. */
const FOLLOWING: Readonly<Record<string, readonly string[]>> = {
  none: ['order-placed'],
  'order-placed': ['order-approved', 'order-cancelled', 'order-expired'],
  'order-approved': ['order-delivered', 'order-cancelled'],
};

/** What becomes of the animal in the same append. */
const STATUS_AFTER: Readonly<Record<string, string>> = {
  'order-placed': 'pending',
  'order-delivered': 'sold',
  'order-cancelled': 'available',
  'order-expired': 'available',
};

/** All events of a log, in order. */
export async function wholeLog(store: EventStore): Promise<RecordedEvent[]> {
  const log: RecordedEvent[] = [];
  for (;;) {
    const page = await store.readAll({ limit: PAGE, after: log.at(-1)?.position ?? 0n });
    log.push(...page);
    if (page.length < PAGE) return log;
  }
}

/**
 * What a log tells of orders that cannot be, one sentence each: a transition that is none, an order that expired before its time, an
 * animal with two open orders at one position or a status that does not follow from its order, and an event of an order without that
 * of its animal beside it.
 */
export function faultsOf(log: readonly RecordedEvent[]): string[] {
  return new OrderLogReading(log).faults;
}

class OrderLogReading {
  readonly faults: string[] = [];
  private readonly newest = new Map<string, RecordedEvent>();
  private readonly placements = new Map<string, RecordedEvent>();
  /** The open order of each animal that has one. */
  private readonly holders = new Map<string, string>();
  private readonly statuses = new Map<string, string>();

  constructor(private readonly log: readonly RecordedEvent[]) {
    log.forEach((event, index) => {
      if (event.stream.startsWith('order-')) this.readOrder(event, index);
      if (event.stream.startsWith('pet-')) this.readPet(event, index);
      this.newest.set(event.stream, event);
    });
  }

  private readOrder(event: RecordedEvent, index: number): void {
    const { stream, type } = event;
    const before = this.newest.get(stream)?.type ?? 'none';
    if (!FOLLOWING[before]?.includes(type)) this.fault(event, `follows ${before}`);
    if (type === 'order-placed') this.placements.set(stream, event);
    const placed = this.placements.get(stream) ?? event;
    const pet = `pet-${member(placed, 'petId')}`;
    if (type === 'order-expired' && event.recordedAt < new Date(member(placed, 'expiresAt'))) this.fault(event, 'is before its time');
    if (type === 'order-approved') return;
    if (!this.isOfAnimal(this.log[index + 1], event, pet)) this.fault(event, `is not followed by ${pet}`);
    if (type === 'order-placed') this.reserve(event, pet);
    else if (this.holders.get(pet) !== stream) this.fault(event, `ends no reservation of ${pet}`);
    else this.holders.delete(pet);
  }

  private reserve(event: RecordedEvent, pet: string): void {
    const holder = this.holders.get(pet);
    if (holder !== undefined) this.fault(event, `reserves ${pet}, which ${holder} holds`);
    if (this.statuses.get(pet) !== 'available') this.fault(event, `reserves ${pet}, which is ${this.statuses.get(pet) ?? 'unset'}`);
    this.holders.set(pet, event.stream);
  }

  private readPet(event: RecordedEvent, index: number): void {
    const { stream, type } = event;
    const orderId = member(event, 'orderId');
    const holder = this.holders.get(stream);
    if (this.newest.get(stream)?.type === 'pet-withdrawn') this.fault(event, 'follows a withdrawal');
    if (type === 'pet-withdrawn' && holder !== undefined) this.fault(event, `leaves ${holder} open`);
    if (type === 'pet-added' || type === 'pet-status-set') this.statuses.set(stream, member(event, 'status'));
    if (type !== 'pet-status-set') return;
    if (orderId === '' && holder !== undefined) this.fault(event, `is by hand, while ${holder} holds it`);
    if (orderId !== '' && this.log[index - 1]?.stream !== `order-${orderId}`) this.fault(event, `does not follow order-${orderId}`);
  }

  /** Whether the event is what the event of an order does to its animal. */
  private isOfAnimal(event: RecordedEvent | undefined, { type, stream, metadata }: RecordedEvent, pet: string): boolean {
    if (event?.stream !== pet || event.metadata.requestId !== metadata.requestId) return false;
    if (event.type === 'pet-withdrawn') return type === 'order-cancelled';
    return member(event, 'status') === STATUS_AFTER[type] && `order-${member(event, 'orderId')}` === stream;
  }

  private fault({ position, stream, type }: RecordedEvent, what: string): void {
    this.faults.push(`${type} of ${stream} at ${position} ${what}`);
  }
}

/** A member of the data of an event, which is text; empty where it is not there. */
function member({ data }: RecordedEvent, name: string): string {
  return (data as Readonly<Record<string, string | undefined>>)[name] ?? '';
}
