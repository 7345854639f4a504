import { TimeoutSchedule } from '#libs/event-sourcing';
import { execute } from '../../../test/databases/test-database.fixture.js';
import { openManagement, type Management } from '../../../test/e2e/management.fixture.js';
import { ORDER_STATUSES } from '../domain/order.js';
import { startStore, type Store } from '../../../test/e2e/store.fixture.js';

const DAY = 24 * 60 * 60_000;

describe('the metrics of orders', () => {
  let store: Store;
  let management: Management;
  beforeEach(async () => {
    store = await startStore();
    management = await openManagement(store);
  });
  afterEach(() => store.close());

  const outcomes = async () => {
    const counts = ORDER_STATUSES.map(async (outcome) => [outcome, await management.sample('adoption_orders_total', { outcome })]);
    return Object.fromEntries(await Promise.all(counts)) as Record<string, number | undefined>;
  };
  const none = { placed: 0, approved: 0, delivered: 0, cancelled: 0, expired: 0 };

  /** Samples are given out again for a second; no longer. */
  const becomes = async (metric: string, value: number) => {
    while ((await management.sample(metric)) !== value);
  };

  it('count each outcome from 0 on', async () => {
    expect(await outcomes()).toEqual(none);
    const pets = await store.addSeveral(3);
    const [one, two] = await Promise.all(pets.map((petId) => store.place(petId)));
    await store.move(one?.id ?? 0, 'approve');
    await store.move(one?.id ?? 0, 'deliver');
    await store.move(two?.id ?? 0, 'cancel');
    expect(await outcomes()).toEqual({ placed: 3, approved: 1, delivered: 1, cancelled: 1, expired: 0 });
  });

  it('count nothing for what is repeated or refused', async () => {
    const petId = await store.addAvailable();
    const options = { key: store.customer, headers: { 'idempotency-key': 'once' } };
    const place = () => store.client.post('/v1/store/orders', { petId }, options);
    const { id } = (await place()).json<{ id: number }>();
    expect((await place()).headers).toMatchObject({ 'idempotency-replayed': 'true' });
    await store.client.post('/v1/store/orders', { petId }, { key: store.staff });
    for (let times = 0; times < 2; times += 1) await store.move(id, 'deliver');
    for (let times = 0; times < 2; times += 1) await store.move(id, 'approve');
    expect(await outcomes()).toEqual({ ...none, placed: 1, approved: 1 });
    for (let times = 0; times < 2; times += 1) await store.move(id, 'cancel');
    expect((await place()).status).toBe(201);
    await store.app.get(TimeoutSchedule).run();
    expect(await outcomes()).toEqual({ ...none, placed: 1, approved: 1, cancelled: 1 });
  });

  it('count what a withdrawal cancels', async () => {
    const petId = await store.addAvailable();
    await store.place(petId);
    await store.withdraw(petId);
    expect(await outcomes()).toEqual({ ...none, placed: 1, cancelled: 1 });
  });

  it.each<[string, (petId: number) => Promise<unknown>, number]>([
    ['the order that follows', (petId) => store.place(petId), 2],
    ['a status set by hand', (petId) => store.change(petId, { status: 'sold' }), 1],
    ['a withdrawal', (petId) => store.withdraw(petId), 1],
    ['a timeout', () => store.app.get(TimeoutSchedule).run(), 1],
  ])('count an expiry once that is said by %s', async (_what, cause, placed) => {
    const petId = await store.addAvailable();
    await store.place(petId);
    store.clock.advance(DAY);
    await cause(petId);
    await store.app.get(TimeoutSchedule).run();
    expect(await outcomes()).toEqual({ ...none, placed, expired: 1 });
  });

  it('tell how many orders hold an animal', async () => {
    const pets = await store.addSeveral(3);
    const [one, two] = await Promise.all(pets.map((petId) => store.place(petId)));
    await store.move(one?.id ?? 0, 'approve');
    await becomes('adoption_open_orders', 3);
    await store.move(one?.id ?? 0, 'deliver');
    await store.move(two?.id ?? 0, 'cancel');
    await becomes('adoption_open_orders', 1);
  });

  it('tell how late the oldest expiry is that nobody has said', async () => {
    const [one = 0, other = 0] = await store.addSeveral(2);
    await store.place(one);
    store.clock.advance(1_000);
    await store.move((await store.place(other)).id, 'approve');
    await becomes('adoption_oldest_due_timeout_seconds', 0);
    const due = store.clock.now().getTime() - 1_000 + DAY;
    // Another instance says that it is about to.
    await execute(store.backend['DATABASE_URL'] ?? '', `INSERT INTO "process_leases" VALUES ('order-expiry', 'another', ${due + 5_000})`);
    store.clock.set(new Date(due + 2_500));
    await becomes('adoption_oldest_due_timeout_seconds', 2.5);
    expect(await outcomes()).toEqual({ ...none, placed: 2, approved: 1 });
    store.clock.advance(2_500);
    await store.app.get(TimeoutSchedule).run();
    await becomes('adoption_oldest_due_timeout_seconds', 0);
    expect(await outcomes()).toEqual({ ...none, placed: 2, approved: 1, expired: 1 });
  });
});
