import { codesOf } from '../../../test/e2e/graphql.fixture.js';
import { UNLIMITED } from '../../../test/e2e/service.fixture.js';
import { startStore, type Store } from '../../../test/e2e/store.fixture.js';

interface Page {
  readonly nodes: readonly { readonly id: string }[];
  readonly edges: readonly { readonly cursor: string; readonly node: { readonly id: string } }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean; readonly endCursor: string | null };
}

const PAGE = 'nodes { id } edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage endCursor }';
const ORDERS = `query($first: Int, $after: String, $status: OrderStatus, $petId: ID, $placedBy: ID) {
  orders(first: $first, after: $after, status: $status, petId: $petId, placedBy: $placedBy) { ${PAGE} }
}`;
const ORDERS_OF_PET = `query($id: ID!, $first: Int, $after: String) { pet(id: $id) { orders(first: $first, after: $after) { ${PAGE} } } }`;

describe('orders in the query schema', () => {
  let store: Store;
  beforeEach(async () => (store = await startStore()));
  afterEach(() => store.close());

  const page = async (variables: object = {}) => (await store.ask<{ orders: Page }>(ORDERS, variables)).data?.orders;
  const pageOfPet = async (variables: object) =>
    (await store.ask<{ pet: { orders: Page } | null }>(ORDERS_OF_PET, variables)).data?.pet?.orders;
  const ids = (found: Page | undefined) => found?.nodes.map(({ id }) => Number(id));

  /** Orders an animal that often, each order but the last one cancelled. */
  const orderAgain = async (petId: number, times: number) => {
    const placed: number[] = [];
    for (let time = 0; time < times; time += 1) {
      for (const id of placed.slice(-1)) await store.move(id, 'cancel');
      placed.push((await store.place(petId)).id);
    }
    return placed;
  };

  it('say all that is known of one, who has placed it, its animal and what happened', async () => {
    const petId = await store.addAvailable();
    const order = await store.place(petId, { note: 'On Saturday.' });
    store.clock.advance(1_000);
    await store.move(order.id, 'approve');
    const { data } = await store.ask(
      `{ order(id: ${order.id}) { id quantity status note placedAt expiresAt version placedBy pet { id status } history { stream version type data } } }`,
    );
    const placed = {
      petId: `${petId}`,
      placedBy: `${store.ids.customer}`,
      note: 'On Saturday.',
      placedAt: '2026-06-01T12:00:00.000Z',
      expiresAt: '2026-06-02T12:00:00.000Z',
    };
    const stream = `order-${order.id}`;
    expect(data).toEqual({
      order: {
        id: `${order.id}`,
        quantity: 1,
        status: 'APPROVED',
        note: 'On Saturday.',
        placedAt: placed.placedAt,
        expiresAt: placed.expiresAt,
        version: 2,
        placedBy: `${store.ids.customer}`,
        pet: { id: `${petId}`, status: 'PENDING' },
        history: [
          { stream, version: 1, type: 'order-placed', data: placed },
          { stream, version: 2, type: 'order-approved', data: {} },
        ],
      },
    });
  });

  it('have no note unless given, and are null if they do not exist', async () => {
    const petId = await store.addAvailable();
    const { id } = await store.place(petId);
    const { data } = await store.ask(`{ order(id: ${id}) { note } none: order(id: 9223372036854775807) { id } }`);
    expect(data).toEqual({ order: { note: null }, none: null });
    expect(codesOf(await store.ask('{ order(id: "x") { id } }'))).toEqual(['invalid_parameter']);
  });

  it('stay when their animal is withdrawn, which they then have no more', async () => {
    const petId = await store.addAvailable();
    const { id } = await store.place(petId);
    await store.withdraw(petId);
    expect((await store.ask(`{ order(id: ${id}) { status pet { id } } pet(id: ${petId}) { id } }`)).data).toEqual({
      order: { status: 'CANCELLED', pet: null },
      pet: null,
    });
    expect(ids(await page({ petId }))).toEqual([id]);
  });

  it('are those of all keys for a key with only the scope graphql', async () => {
    const [one = 0, other = 0] = await store.addSeveral(2);
    await store.place(one);
    await store.client.post('/v1/store/orders', { petId: other }, { key: store.staff });
    const { token } = await store.issueKey({ ...UNLIMITED, scopes: ['graphql'] });
    const answer = await store.client.post('/graphql', { query: '{ orders { nodes { placedBy } } }' }, { key: token });
    expect(answer.json()).toEqual({
      data: { orders: { nodes: [{ placedBy: `${store.ids.customer}` }, { placedBy: `${store.ids.staff}` }] } },
    });
  });

  it('are filtered by status, animal and key', async () => {
    const [one = 0, two = 0, three = 0] = await store.addSeveral(3);
    const [first, second] = await orderAgain(one, 2);
    const { id: third } = await store.place(two);
    const answer = await store.client.post('/v1/store/orders', { petId: three }, { key: store.staff });
    const fourth = answer.json<{ id: number }>().id;
    expect(ids(await page())).toEqual([first, second, third, fourth]);
    expect(ids(await page({ status: 'CANCELLED' }))).toEqual([first]);
    expect(ids(await page({ petId: one }))).toEqual([first, second]);
    expect(ids(await page({ placedBy: `${store.ids.staff}` }))).toEqual([fourth]);
    expect(ids(await page({ placedBy: `${store.ids.customer}`, status: 'PLACED', petId: one }))).toEqual([second]);
    expect(ids(await page({ petId: 999 }))).toEqual([]);
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

  it('do not continue from a cursor of another list, filter or animal', async () => {
    const [one = 0, two = 0] = await store.addSeveral(2);
    for (const petId of [one, two]) await store.place(petId);
    const cursor = async (found: Promise<Page | undefined>) => (await found)?.pageInfo.endCursor;
    const [ofAll, ofFilter, ofPet] = [await cursor(page()), await cursor(page({ petId: one })), await cursor(pageOfPet({ id: one }))];
    for (const variables of [{ after: ofAll, status: 'PLACED' }, { after: ofFilter }, { after: ofPet }, { after: ofPet, petId: one }]) {
      expect(codesOf(await store.ask(ORDERS, variables))).toEqual(['invalid_parameter']);
    }
    for (const variables of [
      { id: one, after: ofAll },
      { id: one, after: ofFilter },
      { id: two, after: ofPet },
    ]) {
      expect(codesOf(await store.ask(ORDERS_OF_PET, variables))).toEqual(['invalid_parameter']);
    }
  });

  it.each([{ first: 0 }, { first: 101 }, { after: 'x' }, { petId: 'x' }, { placedBy: '9223372036854775808' }, { status: 'LOST' }])(
    'refuse %j with invalid_parameter',
    async (variables) => expect(codesOf(await store.ask(ORDERS, variables))).toEqual(['invalid_parameter']),
  );

  it('leave the inventory exact', async () => {
    const [one = 0, two = 0, three = 0] = await store.addSeveral(4);
    await store.addPet('Mia');
    for (const petId of [one, two]) await store.place(petId);
    const { id } = await store.place(three);
    await store.move(id, 'approve');
    await store.move(id, 'deliver');
    const { data } = await store.ask<{ inventory: object }>('{ inventory { available pending sold unset } }');
    expect(data?.inventory).toEqual({ available: 1, pending: 2, sold: 1, unset: 1 });
    expect((await store.client.get('/v1/store/inventory', { key: store.customer })).json()).toEqual(data?.inventory);
  });

  it('are refused where animals and orders are nested too far, before anything is read', async () => {
    const bound = (levels: string) => store.ask(levels);
    const message = async (document: string) => (await bound(document)).errors?.[0]?.message;
    expect(await message('{ pets(first: 50) { nodes { orders { nodes { pet { orders { nodes { id } } } } } } } }')).toMatch(
      /^The operation costs \d+/,
    );
    expect(await message('{ pets(first: 1) { nodes { orders { nodes { pet { orders { nodes { pet { id } } } } } } } } }')).toMatch(
      /9 levels deep/,
    );
    expect(await message('{ orders(first: 100) { nodes { pet { orders(first: 100) { nodes { id } } history { type } } } } }')).toMatch(
      /costs/,
    );
    expect(await message('{ pets(first: 100) { nodes { orders { nodes { status } } } } }')).toBeUndefined();
  });
});
