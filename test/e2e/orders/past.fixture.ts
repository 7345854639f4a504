import type { RecordedEvent } from '#libs/event-sourcing';
import type { AdoptionModel } from './adoption-model.fixture.js';
import type { StoreUnderTest } from './store-under-test.fixture.js';

const QUERY = `query($order: ID!, $pet: ID!, $at: DateTime) {
  order(id: $order, asOf: $at) { ...F pet { name status history(first: 100) { version type } orders { nodes { ...F } } } }
  pet(id: $pet, asOf: $at) { name status history(first: 100) { version type } orders { nodes { ...F } } }
}
fragment F on Order { id status version placedBy history { version type } }`;

/** Holds animals and orders, asked for as of moments of their past, against what the log says of them up to then. */
export async function expectPast({ pets, orders }: AdoptionModel, store: StoreUnderTest, log: readonly RecordedEvent[]): Promise<void> {
  const streams = new Set([...pets.map(({ id }) => `pet-${id}`), ...orders.map(({ id }) => `order-${id}`)]);
  const own = log.filter(({ stream }) => streams.has(stream));
  const moments = [...new Set(own.flatMap(({ recordedAt }) => [recordedAt.getTime() - 1, recordedAt.getTime()]))];
  for (const [index, moment] of moments.entries()) {
    const [order, other] = [orders[index % orders.length], pets[index % pets.length]];
    if (!order || !other) continue;
    const past = new Past(own, moment);
    const variables = { order: order.id, pet: other.id, at: new Date(moment).toISOString() };
    const answer = await store.send({ caller: 'staff', method: 'POST', target: '/graphql', body: { query: QUERY, variables } });
    const shown = past.order(order.id);
    expect(answer.json()).toEqual({
      data: { order: shown && { ...shown, pet: past.petWithOrders(order.pet.id) }, pet: past.petWithOrders(other.id) },
    });
  }
}

/** The state of streams at a moment, folded from their events. */
class Past {
  constructor(
    private readonly log: readonly RecordedEvent[],
    private readonly moment: number,
  ) {}

  order(id: number) {
    const events = this.of(`order-${id}`);
    const [placed] = events as readonly { readonly data: { readonly placedBy?: string } }[];
    if (!placed) return null;
    const status = (events.at(-1)?.type ?? '').slice('order-'.length).toUpperCase();
    return { id: `${id}`, status, version: events.length, placedBy: placed.data.placedBy, history: history(events) };
  }

  petWithOrders(id: number) {
    const events = this.of(`pet-${id}`);
    if (events.length === 0 || events.some(({ type }) => type === 'pet-withdrawn')) return null;
    const details = events.map(({ data }) => data as { readonly name?: string; readonly status?: string });
    return {
      name: details.findLast(({ name }) => name !== undefined)?.name,
      status: details.findLast(({ status }) => status !== undefined)?.status?.toUpperCase() ?? null,
      history: history(events),
      orders: { nodes: this.ordersOf(id) },
    };
  }

  private ordersOf(petId: number) {
    return this.log.flatMap(({ type, stream, data }) => {
      if (type !== 'order-placed' || (data as { readonly petId: string }).petId !== `${petId}`) return [];
      return this.order(Number(stream.slice('order-'.length))) ?? [];
    });
  }

  private of(stream: string): readonly RecordedEvent[] {
    return this.log.filter((event) => event.stream === stream && event.recordedAt.getTime() <= this.moment);
  }
}

function history(events: readonly RecordedEvent[]) {
  return events.map(({ version, type }) => ({ version, type }));
}
