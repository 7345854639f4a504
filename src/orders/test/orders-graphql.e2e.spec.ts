import { TimeoutSchedule } from '#libs/event-sourcing';
import { codesOf } from '../../../test/e2e/graphql.fixture.js';
import { UNLIMITED } from '../../../test/e2e/service.fixture.js';
import { startStore, type Store } from '../../../test/e2e/store.fixture.js';

interface Page {
  readonly nodes: readonly { readonly id: string; readonly status: string }[];
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean; readonly endCursor: string | null };
}

const PAGE = 'nodes { id status } edges { cursor node { id status } } pageInfo { hasNextPage hasPreviousPage endCursor }';
const ORDERS = `query($first: Int, $after: String, $status: OrderStatus, $petId: ID, $placedBy: ID) {
  orders(first: $first, after: $after, status: $status, petId: $petId, placedBy: $placedBy) { ${PAGE} }
}`;
const ORDERS_OF_PET = `query($id: ID!, $first: Int, $after: String, $at: DateTime) {
  pet(id: $id, asOf: $at) { orders(first: $first, after: $after) { ${PAGE} } }
}`;

// Orders and animals at any moment of their past are held against their log by the model (orders-model.e2e.spec.ts).
describe('orders in the query schema', () => {
  let store: Store;
  beforeAll(async () => {
    store = await startStore();
    // Permanently: nothing fires by itself.
    await store.app.get(TimeoutSchedule).beforeApplicationShutdown();
  });
  afterAll(() => store.close());

  const page = async (variables: object = {}) => (await store.ask<{ orders: Page }>(ORDERS, variables)).data?.orders;
  const pageOfPet = async (variables: object) =>
    (await store.ask<{ pet: { orders: Page } | null }>(ORDERS_OF_PET, variables)).data?.pet?.orders;
  const ids = (found: Page | undefined) => found?.nodes.map(({ id }) => Number(id));
  /** Orders an animal that often, each order but the last one cancelled. */
  const orderAgain = async (petId: number, times: number) => {
    const placed: number[] = [];
    while (placed.length < times) {
      for (const id of placed.slice(-1)) await store.move(id, 'cancel');
      placed.push((await store.place(petId)).id);
      store.clock.advance(1);
    }
    return placed;
  };

  it('say all that is known of one, who has placed it, its animal and what happened', async () => {
    const petId = await store.addAvailable();
    const { id, placedAt, expiresAt } = await store.place(petId, { note: 'On Saturday.' });
    await store.move(id, 'approve');
    const asked = 'id quantity status note placedAt expiresAt version placedBy pet { id status } history { stream version type data }';
    const { data } = await store.ask(`{ order(id: ${id}) { ${asked} } none: order(id: 9223372036854775807) { id } }`);
    const shown = { note: 'On Saturday.', placedAt, expiresAt, placedBy: `${store.ids.customer}` };
    expect(data).toEqual({
      order: {
        ...{ id: `${id}`, quantity: 1, status: 'APPROVED', version: 2, ...shown, pet: { id: `${petId}`, status: 'PENDING' } },
        history: [
          { stream: `order-${id}`, version: 1, type: 'order-placed', data: { petId: `${petId}`, ...shown } },
          { stream: `order-${id}`, version: 2, type: 'order-approved', data: {} },
        ],
      },
      none: null,
    });
  });

  it('stay when their animal is withdrawn, which they then have no more, and have no note unless given', async () => {
    const { id, petId } = await store.place();
    await store.withdraw(petId);
    expect((await store.ask(`{ order(id: ${id}) { status note pet { id } } pet(id: ${petId}) { id } }`)).data).toEqual({
      order: { status: 'CANCELLED', note: null, pet: null },
      pet: null,
    });
    expect(ids(await page({ petId }))).toEqual([id]);
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

  it('are filtered by status, animal and key', async () => {
    const [one = 0, two = 0] = await store.addSeveral(2);
    const [first, second] = await orderAgain(one, 2);
    const fourth = (await store.order({ petId: two }, { key: store.staff })).json<{ id: number }>().id;
    expect(ids(await page({ petId: one }))).toEqual([first, second]);
    expect(ids(await page({ petId: one, status: 'CANCELLED' }))).toEqual([first]);
    expect(ids(await page({ placedBy: `${store.ids.staff}`, petId: two }))).toEqual([fourth]);
    expect(ids(await page({ placedBy: `${store.ids.customer}`, status: 'PLACED', petId: one }))).toEqual([second]);
    expect(ids(await page({ placedBy: `${store.ids.staff}`, petId: one }))).toEqual([]);
  });

  it.each(['orders', 'orders of an animal'])('are met once each by the pages of %s', async (list) => {
    const [petId = 0, other = 0] = await store.addSeveral(2);
    await store.place(other);
    const placed = await orderAgain(petId, 5);
    const next = (after?: string | null) =>
      list === 'orders' ? page({ first: 2, petId, after }) : pageOfPet({ id: petId, first: 2, after });
    const first = await next();
    const second = await next(first?.pageInfo.endCursor);
    const third = await next(second?.pageInfo.endCursor);
    expect([first, second, third].map(ids)).toEqual([placed.slice(0, 2), placed.slice(2, 4), placed.slice(4)]);
    expect(first?.edges.map(({ node }) => node)).toEqual(first?.nodes);
    expect(second?.edges[1]?.cursor).toBe(second?.pageInfo.endCursor);
    expect([first, second, third].map((found) => found?.pageInfo.hasNextPage)).toEqual([true, true, false]);
    expect([first, third].map((found) => found?.pageInfo.hasPreviousPage)).toEqual([false, true]);
    expect(await next(third?.pageInfo.endCursor)).toMatchObject({ nodes: [], pageInfo: { hasNextPage: false, endCursor: null } });
  });

  it('are paged as they were at a moment', async () => {
    const petId = await store.addAvailable();
    const placed = await orderAgain(petId, 4);
    // The third one was placed then, and cancelled a millisecond later.
    const at = new Date(store.clock.now().getTime() - 2).toISOString();
    const first = await pageOfPet({ id: petId, first: 2, at });
    const second = await pageOfPet({ id: petId, first: 2, at, after: first?.pageInfo.endCursor });
    const [one, two, three] = placed.map((id) => ({ id: `${id}`, status: 'CANCELLED' }));
    expect([first?.nodes, first?.pageInfo.hasNextPage]).toEqual([[one, two], true]);
    expect([second?.nodes, second?.pageInfo.hasNextPage]).toEqual([[{ ...three, status: 'PLACED' }], false]);
  });

  it('do not continue from a cursor of another list, filter or animal', async () => {
    const [one = 0, two = 0] = await store.addSeveral(2);
    for (const petId of [one, two]) await store.place(petId);
    const cursor = async (found: Promise<Page | undefined>) => (await found)?.pageInfo.endCursor;
    const [ofAll, ofFilter, ofPet] = [await cursor(page()), await cursor(page({ petId: one })), await cursor(pageOfPet({ id: one }))];
    const refused: [string, object][] = [
      ...[{ after: ofAll, status: 'PLACED' }, { after: ofFilter }, { after: ofPet, petId: one }].map((each): [string, object] => [
        ORDERS,
        each,
      ]),
      ...[
        { id: one, after: ofAll },
        { id: one, after: ofFilter },
        { id: two, after: ofPet },
      ].map((each): [string, object] => [ORDERS_OF_PET, each]),
      ...[{ first: 0 }, { first: 101 }, { petId: 'x' }, { placedBy: '9223372036854775808' }].map((each): [string, object] => [
        ORDERS,
        each,
      ]),
    ];
    for (const [document, variables] of refused) expect(codesOf(await store.ask(document, variables))).toEqual(['invalid_parameter']);
  });
});
