import { expectEventually } from '#libs/testing';
import { openManagement, type Management } from '../../../test/e2e/management.fixture.js';
import { startStore, type Store } from '../../../test/e2e/store.fixture.js';
import { ORDER_STATUSES } from '../domain/order.js';

describe('the metrics of orders', () => {
  let store: Store;
  let management: Management;
  beforeAll(async () => {
    store = await startStore();
    management = await openManagement(store);
  });
  afterAll(() => store.close());

  const outcomes = async () => {
    const counts = ORDER_STATUSES.map(async (outcome) => [outcome, await management.sample('adoption_orders_total', { outcome })]);
    return Object.fromEntries(await Promise.all(counts)) as Record<string, number | undefined>;
  };
  const becomes = (open: number) => expectEventually(() => management.sample('adoption_open_orders'), open);

  it('count each outcome once from 0 on, nothing for what is repeated or refused, and the orders that are open', async () => {
    expect(await outcomes()).toEqual({ placed: 0, approved: 0, delivered: 0, cancelled: 0, expired: 0 });
    const [one = 0, two = 0, three = 0] = await store.addSeveral(3);
    const place = () => store.order({ petId: one }, { headers: { 'idempotency-key': 'once' } });
    const { id } = (await place()).json<{ id: number }>();
    expect((await place()).headers).toMatchObject({ 'idempotency-replayed': 'true' });
    await store.order({ petId: one }, { key: store.staff });
    for (const move of ['deliver', 'approve', 'approve']) await store.move(id, move);
    const other = await store.place(two);
    await store.place(three);
    await becomes(3);
    for (const move of ['cancel', 'cancel', 'approve']) await store.move(other.id, move);
    await store.withdraw(three);
    await store.move(id, 'deliver');
    expect(await outcomes()).toEqual({ placed: 3, approved: 1, delivered: 1, cancelled: 2, expired: 0 });
    await becomes(0);
  });
});
