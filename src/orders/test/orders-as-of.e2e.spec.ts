import fc from 'fast-check';
import { EventStore, type RecordedEvent, TimeoutSchedule } from '#libs/event-sourcing';
import { startStore, type Store } from '../../../test/e2e/store.fixture.js';

const RESERVATION = { ORDER_RESERVATION_MINUTES: '0.001' };

const PAST = `query($order: ID!, $pet: ID!, $at: DateTime) {
  order(id: $order, asOf: $at) { ...F pet { name status history { version type } orders { nodes { ...F } } } }
  pet(id: $pet, asOf: $at) { name status history { version type } orders { nodes { ...F pet { name status history { version type } } } } }
}
fragment F on Order { id status version placedBy history { version type } }`;

type Step =
  | { readonly kind: 'wait'; readonly milliseconds: number }
  | { readonly kind: 'order' | 'rename' | 'withdraw'; readonly pet: number }
  | { readonly kind: 'approve' | 'deliver' | 'cancel'; readonly nth: number };

const pet = fc.nat(1);
const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('order' as const), pet }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), milliseconds: fc.integer({ min: -10, max: 70 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constantFrom('approve' as const, 'deliver' as const, 'cancel' as const), nth: fc.nat(3) }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('rename' as const, 'withdraw' as const), pet }) },
  ),
  { minLength: 8, maxLength: 14 },
);

/** All that can happen, among it an expiry that the next order brings along, and an order that ends with its animal. */
const everything: Step[] = [
  { kind: 'wait', milliseconds: 1 },
  { kind: 'approve', nth: 0 },
  { kind: 'order', pet: 1 },
  { kind: 'wait', milliseconds: 70 },
  { kind: 'order', pet: 1 },
  { kind: 'deliver', nth: 2 },
  { kind: 'wait', milliseconds: 1 },
  { kind: 'cancel', nth: 0 },
  { kind: 'rename', pet: 1 },
  { kind: 'order', pet: 1 },
  { kind: 'wait', milliseconds: 1 },
  { kind: 'withdraw', pet: 1 },
];

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

  pet(id: number) {
    const events = this.of(`pet-${id}`);
    if (events.length === 0 || events.some(({ type }) => type === 'pet-withdrawn')) return null;
    const details = events.map(({ data }) => data as { readonly name?: string; readonly status?: string });
    return {
      name: details.findLast(({ name }) => name !== undefined)?.name,
      status: details.findLast(({ status }) => status !== undefined)?.status?.toUpperCase(),
      history: history(events),
    };
  }

  ordersOf(petId: number) {
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

describe('orders in the past', () => {
  let store: Store;
  beforeEach(async () => (store = await startStore({ environment: RESERVATION })));
  afterEach(() => store.close());

  const take = async (step: Step, pets: readonly number[], orders: number[]): Promise<void> => {
    if (step.kind === 'wait') {
      store.clock.advance(step.milliseconds);
    } else if ('nth' in step) {
      const orderId = orders.at(-1 - step.nth);
      if (orderId !== undefined) await store.move(orderId, step.kind);
    } else {
      const petId = pets[step.pet] ?? 0;
      if (step.kind === 'rename') await store.change(petId, { name: `Rex ${orders.length}` });
      if (step.kind === 'withdraw') await store.withdraw(petId);
      if (step.kind === 'order') await tryToOrder(petId, orders);
    }
  };

  const tryToOrder = async (petId: number, orders: number[]) => {
    const answer = await store.client.post('/v1/store/orders', { petId }, { key: store.customer });
    if (answer.status === 201) orders.push(answer.json<{ id: number }>().id);
  };

  it('are, with their history and animals, what the log says of them up to any millisecond', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(steps, async (drawn) => {
        const [pets, orders]: [number[], number[]] = [await store.addSeveral(2), []];
        await take({ kind: 'order', pet: 0 }, pets, orders);
        for (const step of drawn) await take(step, pets, orders);
        // What is due now would else be said while it is asked for.
        await store.app.get(TimeoutSchedule).run();
        const streams = new Set([...pets.map((id) => `pet-${id}`), ...orders.map((id) => `order-${id}`)]);
        const log = (await store.app.get(EventStore).readAll({ limit: 100_000 })).filter(({ stream }) => streams.has(stream));
        for (const { type } of log) seen.add(type);

        for (const moment of new Set(log.flatMap(({ recordedAt }) => [recordedAt.getTime() - 1, recordedAt.getTime()]))) {
          const past = new Past(log, moment);
          for (const [index, id] of orders.entries()) {
            const asked = pets[index % 2] ?? 0;
            const { data } = await store.ask(PAST, { order: id, pet: asked, at: new Date(moment).toISOString() });
            const order = past.order(id);
            const petId = pets.find((one) => past.ordersOf(one).some((other) => other.id === `${id}`)) ?? 0;
            const [ofOrder, ofAsked] = [past.pet(petId), past.pet(asked)];
            expect(data).toEqual({
              order: order && { ...order, pet: ofOrder && { ...ofOrder, orders: { nodes: past.ordersOf(petId) } } },
              pet: ofAsked && { ...ofAsked, orders: { nodes: past.ordersOf(asked).map((one) => ({ ...one, pet: ofAsked })) } },
            });
          }
        }
      }),
      { numRuns: 8, examples: [[everything]] },
    );
    const happened = ['order-approved', 'order-delivered', 'order-cancelled', 'order-expired', 'pet-corrected', 'pet-withdrawn'];
    expect([...seen]).toEqual(expect.arrayContaining(happened));
  });

  it('are paged as they were then', async () => {
    const petId = await store.addAvailable();
    const placed: string[] = [];
    for (let time = 0; time < 4; time += 1) {
      placed.push(String((await store.place(petId)).id));
      store.clock.advance(1);
      await store.move(Number(placed.at(-1)), 'cancel');
    }
    const moment = new Date(store.clock.now().getTime() - 2).toISOString();
    const page = async (after: string | null) =>
      (
        await store.ask<{
          pet: { orders: { nodes: { id: string; status: string }[]; pageInfo: { hasNextPage: boolean; endCursor: string } } };
        }>(
          `query($pet: ID!, $at: DateTime, $after: String) {
            pet(id: $pet, asOf: $at) { orders(first: 2, after: $after) { nodes { id status } pageInfo { hasNextPage endCursor } } }
          }`,
          { pet: petId, at: moment, after },
        )
      ).data?.pet.orders;
    const first = await page(null);
    const second = await page(first?.pageInfo.endCursor ?? null);
    const [one, two, three] = placed.map((id) => ({ id, status: 'CANCELLED' }));
    expect([first?.nodes, first?.pageInfo.hasNextPage]).toEqual([[one, two], true]);
    expect([second?.nodes, second?.pageInfo.hasNextPage]).toEqual([[{ ...three, status: 'PLACED' }], false]);
  });
});
