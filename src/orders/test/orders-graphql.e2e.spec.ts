import { UNLIMITED } from '../../../test/e2e/service.fixture.js';
import { startStore, type Store } from '../../../test/e2e/store.fixture.js';

// Orders at any moment of their past are held against their log by the model (orders-model.e2e.spec.ts), pages and filters by lists.e2e.spec.ts.
describe('orders in the query schema', () => {
  let store: Store;
  beforeAll(async () => (store = await startStore({ polls: false })));
  afterAll(() => store.close());

  it('say all that is known of one, who has placed it, its animal and what happened', async () => {
    const petId = await store.addAvailable();
    const { id, placedAt, expiresAt } = await store.place(petId, { note: 'On Saturday.' });
    await store.move(id, 'approve');
    const asked =
      'id quantity status note placedAt expiresAt endedAt version placedBy pet { id status } history { stream version type data }';
    const { data } = await store.ask(`{ order(id: ${id}) { ${asked} } none: order(id: 9223372036854775807) { id } }`);
    const shown = { note: 'On Saturday.', placedAt, placedBy: `${store.ids.customer}` };
    expect(data).toEqual({
      order: {
        ...{
          id: `${id}`,
          quantity: 1,
          status: 'APPROVED',
          version: 2,
          expiresAt: null,
          endedAt: null,
          ...shown,
          pet: { id: `${petId}`, status: 'PENDING' },
        },
        history: [
          { stream: `order-${id}`, version: 1, type: 'order-placed', data: { petId: `${petId}`, expiresAt, ...shown } },
          { stream: `order-${id}`, version: 2, type: 'order-approved', data: {} },
        ],
      },
      none: null,
    });
  });

  it('stay when their animal is withdrawn, which they then have no more, and have no note unless given', async () => {
    const { id, petId } = await store.place();
    await store.withdraw(petId);
    const query = `{ order(id: ${id}) { status note pet { id } } pet(id: ${petId}) { id } orders(petId: ${petId}) { nodes { id } } }`;
    expect((await store.ask(query)).data).toEqual({
      order: { status: 'CANCELLED', note: null, pet: null },
      pet: null,
      orders: { nodes: [{ id: `${id}` }] },
    });
  });

  it('are those of all keys for a key with only the scope graphql', async () => {
    const [one = 0, other = 0] = await store.addSeveral(2);
    await store.place(one);
    await store.order({ petId: other }, { key: store.staff });
    const { token } = await store.issueKey({ ...UNLIMITED, scopes: ['graphql'] });
    const query = `{ one: orders(petId: ${one}) { nodes { placedBy } } other: orders(petId: ${other}) { nodes { placedBy } } }`;
    expect((await store.client.post('/graphql', { query }, { key: token })).json()).toEqual({
      data: { one: { nodes: [{ placedBy: `${store.ids.customer}` }] }, other: { nodes: [{ placedBy: `${store.ids.staff}` }] } },
    });
  });
});
