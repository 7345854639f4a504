import { jest } from '@jest/globals';
import { QueryBus } from '@nestjs/cqrs';
import { ListOrders } from '../../src/orders/queries/orders.query.js';
import { ListPets } from '../../src/pets/queries/pets.query.js';
import { startStore, type Store } from './store.fixture.js';

describe('cached results of the query schema', () => {
  let store: Store;
  let pagesRead: () => number;
  let petId: number;
  let orderId: number;
  beforeAll(async () => {
    store = await startStore();
    const queries = jest.spyOn(store.app.get(QueryBus), 'execute');
    pagesRead = () => queries.mock.calls.filter(([query]) => query instanceof ListPets || query instanceof ListOrders).length;
  });
  beforeEach(async () => ({ petId, id: orderId } = await store.place()));
  afterEach(() => store.withdraw(petId));
  afterAll(() => store.close());

  const textOf = async (query: string) => (await store.ask(query)).answer.text;
  /** Asked so often that what may be cached is. */
  const readsOf = async (query: string) => {
    const before = pagesRead();
    for (let times = 0; times < 4; times += 1) await store.ask(query);
    return pagesRead() - before;
  };

  it.each([
    ['{ orders { nodes { status history { type } } } }', () => store.move(orderId, 'approve'), () => store.change(petId, { name: 'Ana' })],
    ['{ pets { edges { node { name } } } }', () => store.change(petId, { name: 'Mia' }), () => store.move(orderId, 'approve')],
  ])('are read again only after their own read model has changed: %s', async (query, change, changeOther) => {
    expect(await readsOf(query)).toBe(1);
    await changeOther();
    expect(await readsOf(query)).toBe(0);
    await change();
    expect(await readsOf(query)).toBe(1);
  });

  it.each([
    '{ pets { nodes { name } } apiKeys { nodes { lastUsedAt } } }',
    '{ pets { nodes { name orders { nodes { status } } } } }',
    '{ pets(first: 1) { nodes { name } } pet(id: "x") { id } }',
    '{ pets(first: 1) { nodes { name } } __schema { types { name } } }',
  ])('are none of what two read models, the moment or an error decide: %s', async (query) => {
    expect(await readsOf(query)).toBe(4);
  });

  it.each([
    '{ pets { nodes { orders { nodes { status pet { name } } } } } }',
    '{ pets { ...F } } fragment F on PetConnection { nodes { ...G } } fragment G on Pet { name orders { nodes { ... on Order { status } } } }',
    '{ pet(id: PET) { name } order(id: ORDER) { status } }',
    '{ ...F } fragment F on Query { order(id: ORDER) { ...G } } fragment G on Order { status ... { pet { name } } }',
  ])('are of now after a change of the order or of the animal: %s', async (document) => {
    const query = document.replace('PET', String(petId)).replace('ORDER', String(orderId));
    await readsOf(query);
    expect(await textOf(query)).toMatch(/"PLACED".*"Rex"|"Rex".*"PLACED"/);
    await store.move(orderId, 'approve');
    await readsOf(query);
    expect(await textOf(query)).toContain('"APPROVED"');
    await store.change(petId, { name: 'Mia' });
    expect(await textOf(query)).toContain('"Mia"');
  });

  it('belong to all that was asked for: document, variables, operation and media type', async () => {
    const query = 'query A($first: Int) { pets(first: $first) { nodes { name } } } query B { pets { nodes { id } } }';
    const answerTo = (first: number, operationName: string, headers = {}) =>
      store.client.post('/graphql', { query, variables: { first }, operationName }, { key: store.token, headers });
    const other = await store.addAvailable();
    const accept = 'application/graphql-response+json';
    for (let times = 0; times < 3; times += 1) {
      const typed = await answerTo(1, 'A', { accept });
      expect(typed.headers['content-type']).toContain(accept);
      const [one, two, ids] = [await answerTo(1, 'A'), await answerTo(2, 'A'), await answerTo(1, 'B')];
      expect(one.headers['content-type']).toContain('application/json');
      expect(one.json()).toEqual({ data: { pets: { nodes: [{ name: 'Rex' }] } } });
      expect(two.json()).toEqual({ data: { pets: { nodes: [{ name: 'Rex' }, { name: 'Rex' }] } } });
      expect(ids.json()).toEqual({ data: { pets: { nodes: [{ id: `${petId}` }, { id: `${other}` }] } } });
    }
    await store.withdraw(other);
  });

  it('are not those of null where a number is beyond every double', async () => {
    const send = (first: string) =>
      store.client.post('/graphql', `{"query":"query($n: Int) { pets(first: $n) { totalCount } }","variables":{"n":${first}}}`, {
        key: store.token,
      });
    for (let times = 0; times < 3; times += 1) expect((await send('null')).json()).toEqual({ data: { pets: { totalCount: 1 } } });
    expect((await send('1e400')).text).toContain('invalid_parameter');
  });
});
