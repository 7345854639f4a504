import type { Answer } from '../../../test/e2e/api-client.fixture.js';
import { UNLIMITED } from '../../../test/e2e/service.fixture.js';
import { ORDERS, startStore, type OrderBody, type Store } from '../../../test/e2e/store.fixture.js';

const INVENTORY = '/v1/store/inventory';

function idsOf(answer: Answer): number[] {
  return answer.json<OrderBody[]>().map(({ id }) => id);
}

function nextOf(answer: Answer): string | undefined {
  return /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link ?? ''))?.[1];
}

describe('the orders that a key sees', () => {
  let store: Store;
  let own: OrderBody[];
  let others: OrderBody;
  beforeAll(async () => {
    store = await startStore();
    own = [
      await store.toOrderSnapshot('placed'),
      await store.toOrderSnapshot('approved'),
      await store.toOrderSnapshot('delivered'),
      await store.toOrderSnapshot('cancelled'),
    ];
    const answer = await store.order({ petId: await store.addAvailable() }, { key: store.neighbour });
    others = answer.json();
    own.push(await store.place());
  });
  afterAll(() => store.close());

  const list = (query = '', key = store.customer, headers = {}) => store.client.get(`${ORDERS}${query}`, { key, headers });
  const walk = async (query: string, key = store.customer) => {
    const seen: OrderBody[] = [];
    for (let target: string | undefined = `${ORDERS}${query}`; target !== undefined;) {
      const answer = await store.client.get(target, { key });
      seen.push(...answer.json<OrderBody[]>());
      target = nextOf(answer);
    }
    return seen;
  };

  it('are its own, all with orders:all, as each is by itself', async () => {
    expect(await walk('')).toEqual(own);
    expect(await walk('', store.neighbour)).toEqual([others]);
    const all = [...own, others].sort((a, b) => a.id - b.id);
    for (const limit of [1, 2, 6, 100]) {
      expect(await walk(`?limit=${limit}`)).toEqual(own);
      expect(await walk(`?limit=${limit}`, store.staff)).toEqual(all);
    }
    for (const order of all) expect((await store.client.get(`${ORDERS}/${order.id}`, { key: store.staff })).json()).toEqual(order);
  });

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

  it('are named in a 404, and 400 where that is no id', async () => {
    for (const id of ['999999', '0', '-1', '9223372036854775807']) {
      const answer = await store.client.get(`${ORDERS}/${id}`, { key: store.staff });
      expect(answer.json()).toEqual({ code: 'not_found', message: `There is no order with the id ${id}.`, status: 404 });
    }
    for (const path of ['x', '1.0', '01', '9223372036854775808']) {
      for (const [method, further] of [
        ['GET', ''],
        ['POST', '/approve'],
        ['POST', '/deliver'],
        ['POST', '/cancel'],
      ]) {
        const answer = await store.client.send(method ?? '', `${ORDERS}/${path}${further}`, { key: store.staff });
        expect(answer.json()).toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining('orderId'), status: 400 });
      }
    }
  });

  it('are filtered by status and animal', async () => {
    for (const status of ['placed', 'approved', 'delivered', 'cancelled', 'expired']) {
      const wanted = own.filter((order) => order.status === status);
      expect(await walk(`?status=${status}&limit=1`)).toEqual(wanted);
      for (const { id, petId } of own) {
        expect(await walk(`?status=${status}&petId=${petId}`)).toEqual(wanted.filter((order) => order.id === id));
      }
    }
    for (const petId of [others.petId, 999_999, 0, -1, '9223372036854775807']) expect((await list(`?petId=${petId}`)).text).toBe('[]');
    expect(await walk(`?petId=${others.petId}`, store.staff)).toEqual([others]);
  });

  it('are all those of an animal, also after it was withdrawn', async () => {
    const { id, petId } = await store.place();
    await store.move(id, 'cancel');
    const again = await store.place(petId);
    await store.client.send('DELETE', `/v1/pets/${petId}?reason=moved`, { key: store.keeper });
    expect((await walk(`?petId=${petId}`)).map((order) => [order.id, order.status])).toEqual([
      [id, 'cancelled'],
      [again.id, 'cancelled'],
    ]);
    own.push(...(await walk(`?petId=${petId}`)));
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=1.0', 'limit'],
    ['status=', 'status'],
    ['status=Placed', 'status'],
    ['status=available', 'status'],
    ['status=placed&status=placed', 'status'],
    ['petId=', 'petId'],
    ['petId=x', 'petId'],
    ['petId=01', 'petId'],
    ['petId=9223372036854775808', 'petId'],
    ['cursor=x', 'cursor'],
    ['placedBy=1', 'placedBy'],
    ['offset=1', 'offset'],
  ])('are not listed by ?%s, which names the parameter', async (query, name) => {
    expect((await list(`?${query}`)).json()).toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining(name),
      status: 400,
    });
  });

  it('are walked by a cursor that is bound to its filters', async () => {
    const { petId } = await store.place();
    const cursor = new URLSearchParams(nextOf(await list('?status=placed&limit=1'))?.split('?')[1]).get('cursor') ?? '';
    expect((await list(`?status=placed&cursor=${cursor}`)).status).toBe(200);
    for (const query of ['', 'status=approved&', `status=placed&petId=${petId}&`, `petId=${petId}&`]) {
      const refusal = (await list(`?${query}cursor=${cursor}`)).json();
      expect(refusal).toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining('cursor'), status: 400 });
    }
  });

  it('have tags that give no other key a 304, be the pages empty or equal', async () => {
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
  });

  it('have pages whose tags change with them', async () => {
    const { id } = await store.place();
    const before = await list('?limit=100');
    expect((await list('?limit=100', store.customer, { 'if-none-match': before.headers.etag })).status).toBe(304);
    await store.move(id, 'approve');
    const after = await list('?limit=100', store.customer, { 'if-none-match': before.headers.etag });
    expect(after.json<OrderBody[]>().find((order) => order.id === id)).toMatchObject({ status: 'approved' });
    expect(idsOf(after)).toEqual(idsOf(before));
  });

  it('are none for keys without a scope for them', async () => {
    const { token } = await store.issueKey({ ...UNLIMITED, scopes: ['pets', 'pets:write', 'graphql'] });
    for (const target of [ORDERS, `${ORDERS}/1`, INVENTORY]) {
      expect((await store.client.get(target, { key: token })).json()).toMatchObject({ code: 'insufficient_scope', status: 403 });
      expect((await store.client.get(target, { key: null })).status).toBe(401);
    }
  });

  it.each([
    ['PUT', ORDERS, 'GET, HEAD, POST, OPTIONS'],
    ['DELETE', ORDERS, 'GET, HEAD, POST, OPTIONS'],
    ['POST', `${ORDERS}/1`, 'GET, HEAD, OPTIONS'],
    ['PATCH', `${ORDERS}/1`, 'GET, HEAD, OPTIONS'],
    ['GET', `${ORDERS}/1/approve`, 'POST, OPTIONS'],
    ['PUT', `${ORDERS}/1/deliver`, 'POST, OPTIONS'],
    ['DELETE', `${ORDERS}/1/cancel`, 'POST, OPTIONS'],
    ['POST', INVENTORY, 'GET, HEAD, OPTIONS'],
  ])('are not reached by %s %s', async (method, target, allow) => {
    const answer = await store.client.send(method, target, { key: store.staff });
    expect(answer.json()).toMatchObject({ code: 'method_not_allowed', status: 405 });
    expect(answer.headers.allow).toBe(allow);
    expect((await store.client.send('OPTIONS', target, { key: store.staff })).headers.allow).toBe(allow);
  });
});

describe('the inventory', () => {
  let store: Store;
  beforeAll(async () => (store = await startStore()));
  afterAll(() => store.close());

  const inventory = async (key = store.customer) => (await store.client.get(INVENTORY, { key })).text;

  it('counts the animals of each status exactly, also those of which there is none', async () => {
    expect(await inventory()).toBe('{"available":0,"pending":0,"sold":0,"unset":0}');
    const statuses = ['available', 'pending', 'pending', 'sold', undefined, undefined, undefined];
    for (const status of statuses) await store.addPet('Rex', status ? { status } : {});
    for (const key of [store.customer, store.staff]) expect(await inventory(key)).toBe('{"available":1,"pending":2,"sold":1,"unset":3}');
    const { id, petId } = await store.place();
    expect(await inventory()).toBe('{"available":1,"pending":3,"sold":1,"unset":3}');
    await store.move(id, 'approve');
    expect(await inventory()).toBe('{"available":1,"pending":3,"sold":1,"unset":3}');
    await store.move(id, 'deliver');
    expect(await inventory()).toBe('{"available":1,"pending":2,"sold":2,"unset":3}');
    await store.client.send('DELETE', `/v1/pets/${petId}?reason=moved`, { key: store.keeper });
    expect(await inventory()).toBe('{"available":1,"pending":2,"sold":1,"unset":3}');
    await store.toOrderSnapshot('expired');
    expect(await inventory()).toBe('{"available":2,"pending":2,"sold":1,"unset":3}');
  });

  it('takes no parameter, and is not sent again while it is unchanged', async () => {
    expect((await store.client.get(`${INVENTORY}?status=sold`, { key: store.customer })).json()).toMatchObject({
      code: 'invalid_parameter',
    });
    const { headers } = await store.client.get(INVENTORY, { key: store.customer });
    const again = () => store.client.get(INVENTORY, { key: store.staff, headers: { 'if-none-match': headers.etag ?? '' } });
    expect((await again()).status).toBe(304);
    await store.addAvailable();
    expect((await again()).status).toBe(200);
  });
});
