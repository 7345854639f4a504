import { UNLIMITED } from '../../../test/e2e/service.fixture.js';
import { ORDERS, startStore, type OrderBody, type Store } from '../../../test/e2e/store.fixture.js';

const INVENTORY = '/v1/store/inventory';

// Which orders a key sees, with which filters and on which pages, is tested by a model (orders-model.e2e.spec.ts).
describe('the orders that a key sees', () => {
  let store: Store;
  let others: OrderBody;
  beforeAll(async () => {
    store = await startStore();
    others = (await store.order({ petId: await store.addAvailable() }, { key: store.neighbour })).json();
    for (const status of ['placed', 'approved'] as const) await store.toOrderSnapshot(status);
  });
  afterAll(() => store.close());

  const list = (query = '', key = store.customer, headers = {}) => store.client.get(`${ORDERS}${query}`, { key, headers });

  it.each<[method: string, path: string]>([
    ['GET', ''],
    ['HEAD', ''],
    ['POST', '/cancel'],
    ['POST', '/approve'],
    ['POST', '/deliver'],
  ])('hide those of others from %s ID%s as if there were none', async (method, path) => {
    const ask = (id: number, headers = {}) => store.client.send(method, `${ORDERS}/${id}${path}`, { key: store.customer, headers });
    for (const headers of [{}, { 'if-match': '"x"' }, { 'if-none-match': '*' }, { 'if-match': '*' }]) {
      const [foreign, missing] = [await ask(others.id, headers), await ask(999_999, headers)];
      expect(foreign.status).toBe(path === '/approve' || path === '/deliver' ? 403 : 404);
      expect([foreign.status, foreign.text.replace(`${others.id}`, '999999')]).toEqual([missing.status, missing.text]);
      expect(Object.keys(foreign.headers)).toEqual(Object.keys(missing.headers));
    }
    expect((await list('', store.neighbour)).json()).toEqual([others]);
  });

  it('have tags that give no other key a 304, be the pages empty or equal, and change with them', async () => {
    const { token: colleague } = await store.issueKey({ ...UNLIMITED, scopes: ['orders:all'] });
    const keys = [store.customer, store.neighbour, store.staff, colleague];
    for (const query of ['?petId=999999', `?petId=${others.petId}`, '?limit=100']) {
      const answers = await Promise.all(keys.map((key) => list(query, key)));
      const tags = answers.map(({ headers }) => String(headers.etag));
      expect(new Set(tags).size).toBe(tags.length);
      for (const [index, key] of keys.entries()) {
        const foreign = tags.filter((_, other) => other !== index).join(', ');
        for (let time = 0; time < 2; time += 1) {
          expect(await list(query, key, { 'if-none-match': foreign })).toMatchObject({ status: 200, text: answers[index]?.text });
          expect((await list(query, key, { 'if-none-match': tags[index] })).status).toBe(304);
        }
      }
    }
    const { etag } = (await list('?limit=100')).headers;
    await store.place();
    expect((await list('?limit=100', store.customer, { 'if-none-match': etag })).status).toBe(200);
  });

  it('are none for keys without a scope for them', async () => {
    const { token } = await store.issueKey({ ...UNLIMITED, scopes: ['pets', 'pets:write', 'graphql'] });
    for (const target of [ORDERS, `${ORDERS}/1`, INVENTORY]) {
      expect((await store.client.get(target, { key: token })).json()).toMatchObject({ code: 'insufficient_scope', status: 403 });
      expect((await store.client.get(target, { key: null })).status).toBe(401);
    }
  });
});
