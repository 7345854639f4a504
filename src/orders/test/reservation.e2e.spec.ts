import { EventStore, TimeoutSchedule } from '#libs/event-sourcing';
import { SettableClock } from '#libs/testing';
import { createDatabase } from '../../../test/databases/test-backend.fixture.js';
import { ORDERS, startStore, told, type OrderBody, type Store } from '../../../test/e2e/store.fixture.js';

const HOUR = 3_600_000;

function run({ app }: Store): Promise<void> {
  return app.get(TimeoutSchedule).run();
}

/** To the moment so many milliseconds after the reservation of an order has ended. */
function goTo({ clock }: Store, { expiresAt }: OrderBody, milliseconds = 0): void {
  clock.set(new Date(new Date(expiresAt).getTime() + milliseconds));
}

describe('a reservation whose end no process tells', () => {
  let store: Store;
  beforeAll(async () => {
    store = await startStore();
    // Permanently: nothing fires any more.
    await store.app.get(TimeoutSchedule).beforeApplicationShutdown();
  });
  afterAll(() => store.close());

  const statusOf = async (id: number) => (await store.client.get(`${ORDERS}/${id}`, { key: store.staff })).json<OrderBody>().status;
  const orderAsNeighbour = (petId: number) => store.order({ petId }, { key: store.neighbour, headers: { 'x-request-id': 'follows' } });
  const patch = (petId: number, body: unknown) => store.client.send('PATCH', `/v1/pets/${petId}`, { key: store.keeper, body });

  it('holds until the last millisecond before it', async () => {
    const [order, approved] = [await store.place(), await store.place()];
    goTo(store, order, -1);
    expect((await orderAsNeighbour(order.petId)).json()).toMatchObject({ code: 'pet_not_available' });
    expect((await store.move(approved.id, 'approve')).status).toBe(200);
    expect((await store.move(order.id, 'cancel', { key: store.customer })).status).toBe(200);
  });

  it('is over then: the order that follows tells it before itself, once', async () => {
    const order = await store.place();
    goTo(store, order);
    let next: OrderBody | undefined;
    const events = await store.recordedBy(async () => (next = (await orderAsNeighbour(order.petId)).json<OrderBody>()));
    const pet = `pet-${order.petId} pet-status-set`;
    expect(told(events)).toEqual([`order-${order.id} order-expired`, pet, `order-${next?.id} order-placed`, pet]);
    expect(new Set(events.map(({ metadata }) => metadata.requestId))).toEqual(new Set(['follows']));
    expect(events.map(({ position }) => position - (events[0]?.position ?? 0n))).toEqual([0n, 1n, 2n, 3n]);
    expect([await statusOf(order.id), await statusOf(next?.id ?? 0)]).toEqual(['expired', 'placed']);
    expect(await store.statusOf(order.petId)).toBe('pending');
    await store.move(next?.id ?? 0, 'cancel');
    expect(told(await store.recordedBy(() => orderAsNeighbour(order.petId)))).not.toContain(`order-${order.id} order-expired`);
  });

  it('is over for one of many that follow at the same time, also from who had it', async () => {
    const order = await store.place();
    goTo(store, order);
    const events = await store.recordedBy(async () => {
      const asked = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? store.customer : store.neighbour));
      const answers = await Promise.all(asked.map((key) => store.order({ petId: order.petId }, { key })));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
    });
    expect(events.map(({ type }) => type)).toEqual(['order-expired', 'pet-status-set', 'order-placed', 'pet-status-set']);
  });

  it.each(['approve', 'deliver', 'cancel'])('is over for %s too, though reads do not show it', async (move) => {
    const order = await store.place();
    goTo(store, order);
    const events = await store.recordedBy(async () => {
      const refusal = (await store.move(order.id, move)).json();
      expect(refusal).toMatchObject({ message: expect.stringContaining(`the order ${order.id} is expired, which is final.`), status: 409 });
    });
    expect(told(events)).toEqual([]);
    expect(await statusOf(order.id)).toBe('placed');
  });

  it.each(['available', 'pending', 'sold'])('is over for a status that is set by hand to %s', async (status) => {
    const { id, petId, ...order } = await store.place();
    goTo(store, { id, petId, ...order });
    const events = await store.recordedBy(async () => expect((await patch(petId, { status })).json()).toMatchObject({ status }));
    const sets = status === 'available' ? 1 : 2;
    expect(told(events)).toEqual([`order-${id} order-expired`, ...Array.from({ length: sets }, () => `pet-${petId} pet-status-set`)]);
    expect([await statusOf(id), await store.statusOf(petId)]).toEqual(['expired', status]);
  });

  it('does not follow from a mere change of the name', async () => {
    const order = await store.place();
    goTo(store, order);
    expect(told(await store.recordedBy(() => patch(order.petId, { name: 'Max' })))).toEqual([`pet-${order.petId} pet-corrected`]);
  });

  it('is over for a withdrawal, which cancels nothing', async () => {
    const { id, petId, ...order } = await store.place();
    goTo(store, { id, petId, ...order });
    const events = await store.recordedBy(async () => {
      const answer = await store.client.send('DELETE', `/v1/pets/${petId}?reason=moved`, { key: store.keeper });
      expect([answer.status, answer.headers['x-cancelled-order']]).toEqual([204, undefined]);
    });
    expect(told(events)).toEqual([`order-${id} order-expired`, `pet-${petId} pet-status-set`, `pet-${petId} pet-withdrawn`]);
    expect(await statusOf(id)).toBe('expired');
  });

  it('changes nothing of what a repeated request is answered', async () => {
    const petId = await store.addAvailable();
    const ask = () => store.order({ petId }, { headers: { 'idempotency-key': 'over' } });
    const first = await ask();
    goTo(store, first.json());
    expect(await ask()).toMatchObject({ status: 201, text: first.text });
    expect((await orderAsNeighbour(petId)).status).toBe(201);
    expect(await ask()).toMatchObject({ status: 201, text: first.text });
  });
});

describe('the process that ends reservations', () => {
  it('tells each end once, from its time on, in the name of the service', async () => {
    const store = await startStore();
    try {
      const order = await store.place();
      goTo(store, order, -1);
      expect(await store.recordedBy(() => run(store))).toEqual([]);
      const events = await store.recordedBy(async () => {
        goTo(store, order);
        await run(store);
      });
      expect(told(events)).toEqual([`order-${order.id} order-expired`, `pet-${order.petId} pet-status-set`]);
      expect(events.map(({ metadata }) => metadata)).toEqual([{ actor: 'system' }, { actor: 'system' }]);
      expect(await store.recordedBy(() => run(store))).toEqual([]);
      const read = await store.client.get(`${ORDERS}/${order.id}`, { key: store.customer });
      expect(read.json()).toEqual({ ...order, status: 'expired', version: 2 });
      expect(await store.statusOf(order.petId)).toBe('available');
      expect((await store.place(order.petId)).status).toBe('placed');
    } finally {
      await store.close();
    }
  });

  it('ends no order that was approved', async () => {
    const store = await startStore();
    try {
      const order = await store.toOrderSnapshot('approved');
      goTo(store, order, 365 * 24 * HOUR);
      expect(await store.recordedBy(() => run(store))).toEqual([]);
      expect((await store.move(order.id, 'deliver')).json()).toMatchObject({ status: 'delivered', expiresAt: order.expiresAt });
    } finally {
      await store.close();
    }
  });

  it('tells each end once that came while the service was down', async () => {
    const database = await createDatabase();
    const clock = new SettableClock();
    const start = () => startStore({ clock, environment: { DATABASE_URL: database.url, ORDER_RESERVATION_MINUTES: '30' } });
    let store = await start();
    try {
      const orders = await Promise.all(Array.from({ length: 40 }, () => store.place()));
      const approved = await store.toOrderSnapshot('approved');
      await store.close();
      clock.advance(HOUR);
      store = await start();
      await run(store);
      await run(store);
      const events = await store.app.get(EventStore).readAll({ limit: 1_000, types: ['order-expired'] });
      expect(told(events).sort()).toEqual(orders.map(({ id }) => `order-${id} order-expired`).sort());
      expect(events.map(({ metadata }) => metadata)).toEqual(orders.map(() => ({ actor: 'system' })));
      for (const { petId } of orders) expect(await store.statusOf(petId)).toBe('available');
      expect(await store.statusOf(approved.petId)).toBe('pending');
    } finally {
      await store.close();
      await database.remove();
    }
  });

  it('lets an order hold its animal for as long as is configured', async () => {
    const store = await startStore({ environment: { ORDER_RESERVATION_MINUTES: '0.05' } });
    try {
      const { expiresAt } = await store.place();
      expect(new Date(expiresAt).getTime() - store.clock.now().getTime()).toBe(3_000);
    } finally {
      await store.close();
    }
  });
});
