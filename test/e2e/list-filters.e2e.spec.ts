import fc from 'fast-check';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { drawnFilters, drawnPet, idsOf, matching, nextOf, PetHerd, toQuery, walkLinks } from './list-filters.fixture.js';
import { UNLIMITED } from './service.fixture.js';
import { ORDERS, startStore, type Store } from './store.fixture.js';

const START = Date.parse('2026-06-01T12:00:00.000Z');
const LARGEST = 2n ** 63n - 1n;
const at = (milliseconds: number) => new Date(START + milliseconds).toISOString();

describe('filters of the list of animals', () => {
  let service: GraphqlService;
  beforeAll(async () => {
    service = await startGraphqlService();
    const herd = await PetHerd.of(service);
    const add = (name: string, categoryId: bigint, status?: 'available' | 'pending' | 'sold', isWithdrawn = false) =>
      herd.add({ name, categoryId, status, isWithdrawn, later: 1 });
    await add('Rex', 1n, 'available'); // 1, added at 12:00:00.001
    await add('T-REX', 2n, 'pending'); // 2
    await add('Émile', 1n); // 3
    await add('ÉMILIE', -1n, 'sold'); // 4
    await add('Prexel', 1n, 'available', true); // 5
    await add('100% dog', LARGEST, 'available'); // 6
    await add('ΝΙΚΟΣΤΡΑΤΟΣ', LARGEST, 'sold'); // 7
    await add('under_score', -(2n ** 63n)); // 8
  });
  afterAll(() => service.close());

  const list = (query: string, headers = {}) => service.client.get(`/v1/pets?${query}`, { headers });
  const messageOf = async (query: string, path = '/v1/pets') => {
    const answer = await service.client.get(`${path}?${query}`);
    expect(answer.json()).toMatchObject({ code: 'invalid_parameter', status: 400 });
    return answer.json<{ message: string }>().message;
  };

  it.each([
    ['', [1, 2, 3, 4, 6, 7, 8]],
    ['order=asc', [1, 2, 3, 4, 6, 7, 8]],
    ['order=desc', [8, 7, 6, 4, 3, 2, 1]],
    ['status=available', [1, 6]],
    ['status=available,sold', [1, 4, 6, 7]],
    ['status=sold,available,sold', [1, 4, 6, 7]],
    ['status=unset', [3, 8]],
    ['status=pending,unset', [2, 3, 8]],
    ['status=available,pending,sold,unset', [1, 2, 3, 4, 6, 7, 8]],
    ['categoryId=1', [1, 3]],
    ['categoryId=-1', [4]],
    [`categoryId=${LARGEST},2`, [2, 6, 7]],
    [`categoryId=${-(2n ** 63n)}`, [8]],
    ['categoryId=5', []],
    ['name=rex', [1, 2]],
    ['name=REX', [1, 2]],
    ['name=ex', [1, 2]],
    [`name=${encodeURIComponent('émil')}`, [3, 4]],
    [`name=${encodeURIComponent('e\u0301MI')}`, [3, 4]],
    [`name=${encodeURIComponent('ΝΙΚΟΣ')}`, [7]],
    [`name=${encodeURIComponent('νικος')}`, [7]],
    ['name=0%25', [6]],
    ['name=%25%25', []],
    ['name=r_s', [8]],
    ['name=e__', []],
    [`addedSince=${at(4)}`, [4, 6, 7, 8]],
    [`addedBefore=${at(4)}`, [1, 2, 3]],
    [`addedSince=${at(2)}&addedBefore=${at(4)}`, [2, 3]],
    [`addedSince=${at(4)}&addedBefore=${at(4)}`, []],
    [`addedSince=${at(4)}&order=desc`, [8, 7, 6, 4]],
    ['status=available&categoryId=1', [1]],
    ['status=unset&categoryId=1,2', [3]],
    ['status=pending,sold&name=ex', [2]],
    [`status=available,sold&categoryId=-1,${LARGEST}&addedSince=${at(5)}&order=desc`, [7, 6]],
    [`categoryId=1,2&name=rex&addedBefore=${at(2)}`, [1]],
    ['ids=3,1,5,2&status=available,unset', [1, 3]],
    ['ids=3,1,2&order=desc', [3, 2, 1]],
    ['ids=3,1,2,4&categoryId=1&name=rex', [1]],
    [`ids=4,3,2&addedSince=${at(3)}&order=desc`, [4, 3]],
  ])('give for ?%s the animals %j, and as many as X-Total-Count says', async (query, expected) => {
    const answer = await list(query);
    expect([answer.status, idsOf(answer), answer.headers['x-total-count']]).toEqual([200, expected, undefined]);
    const counted = await list(`${query}&total=true`);
    expect([idsOf(counted), counted.headers['x-total-count']]).toEqual([expected, `${expected.length}`]);
    if (query.startsWith('ids=')) return;
    const pages = await walkLinks(`/v1/pets?${query}&limit=1&total=true`, (target) => service.client.get(target));
    expect(pages.flatMap(idsOf)).toEqual(expected);
    for (const { headers } of pages) expect(headers['x-total-count']).toBe(`${expected.length}`);
  });

  it('are in the link to the next page, times to the millisecond', async () => {
    const parameters = {
      ...{ limit: '1', order: 'desc', total: 'true', status: 'sold,unset', categoryId: `1,-1,${LARGEST}`, name: 'ι' },
      ...{ addedSince: '2026-06-01T14:00:00.0029999+02:00', addedBefore: '2026-06-01t12:01:00z' },
    };
    const { name: _name, ...others } = parameters;
    const answer = await list(new URLSearchParams(others).toString());
    const next = Object.fromEntries(new URL(nextOf(answer) ?? '', service.origin).searchParams);
    expect(next).toEqual({
      ...others,
      addedSince: '2026-06-01T12:00:00.002Z',
      addedBefore: '2026-06-01T12:01:00.000Z',
      cursor: expect.any(String),
    });
  });

  const CURSOR_OF = 'status=sold,unset&order=desc';
  it.each([
    '',
    'status=sold,unset',
    'status=unset,sold&order=desc',
    'status=sold&order=desc',
    'status=sold,unset&order=asc',
    `${CURSOR_OF}&name=mil`,
    `${CURSOR_OF}&categoryId=1`,
    `${CURSOR_OF}&addedSince=${at(0)}`,
    `${CURSOR_OF}&total=true`,
  ])('refuse a cursor of other filters or another order, with ?%s', async (query) => {
    const next = new URL(nextOf(await list(`${CURSOR_OF}&limit=1`)) ?? '', service.origin);
    const cursor = next.searchParams.get('cursor') ?? '';
    expect((await list(`${CURSOR_OF}&limit=3&cursor=${cursor}`)).status).toBe(200);
    expect(await messageOf(`${query}&cursor=${cursor}`)).toMatch(/^cursor is not valid for this list/);
  });

  it.each([
    ['status=lost', 'status must be one of available, pending, sold, unset, or several of them separated by commas'],
    ['status=sold,lost', 'status must be one of available'],
    ['status=', 'status must be one of available'],
    ['status=sold,,unset', 'status must be one of available'],
    ['status=Sold', 'status must be one of available'],
    ['status=sold,sold,sold,sold,sold', 'status must be one of available'],
    ['categoryId=x', 'categoryId must be an integer from -9223372036854775808 to 9223372036854775807'],
    ['categoryId=1,', 'categoryId must be an integer'],
    ['categoryId=01', 'categoryId must be an integer'],
    ['categoryId=9223372036854775808', 'categoryId must be an integer'],
    [`categoryId=${Array.from({ length: 101 }, (_, id) => id).join()}`, 'categoryId must be an integer'],
    ['name=', 'name must be a string of 2 to 255 Unicode characters'],
    ['name=r', 'name must be a string of 2 to 255'],
    [`name=${encodeURIComponent('😀')}`, 'name must be a string of 2 to 255'],
    ['name=%20%20%20', 'name must be a string of 2 to 255'],
    [`name=${'x'.repeat(256)}`, 'name must be a string of 2 to 255'],
    ['addedSince=yesterday', 'addedSince must be'],
    ['addedSince=2026-06-01', 'addedSince must be'],
    ['addedBefore=2026-02-30T00:00:00Z', 'addedBefore must be'],
    ['addedBefore=', 'addedBefore must be'],
    ['order=up', 'order must be asc or desc'],
    ['total=yes', 'total must be true or false'],
    ['total=1', 'total must be true or false'],
    ['withdrawn=true', '"withdrawn" is not a query parameter'],
    ['nmae=rex', '(did you mean name?)'],
    ['addedsince=2026-06-01T00:00:00Z', '(did you mean addedSince?)'],
    ['categorieId=1', '(did you mean categoryId?)'],
    ['state=sold', '(did you mean status?)'],
  ])('refuse ?%s', async (query, expected) => {
    expect(await messageOf(query)).toContain(expected);
  });

  it('refuse all that is wrong in one message', async () => {
    const message = await messageOf('status=lost&name=r&categoryId=x&addedSince=no&addedBefore=no&order=up&total=yes&nmae=rex');
    for (const name of ['status', 'name', 'categoryId', 'addedSince', 'addedBefore', 'order', 'total']) {
      expect(message).toContain(`${name} must be`);
    }
    expect(message).toContain('(did you mean name?)');
  });

  it.each(['status=sold,unset&limit=1', `name=rex&total=true`, `addedSince=${at(3)}&order=desc&limit=2&total=true`])(
    'have for ?%s a tag, by which If-None-Match gets 304, and HEAD the same headers',
    async (query) => {
      const full = await list(query);
      const head = await service.client.send('HEAD', `/v1/pets?${query}`);
      const unchanged = await list(query, { 'if-none-match': full.headers.etag });
      expect([head.status, head.text, unchanged.status, unchanged.text]).toEqual([200, '', 304, '']);
      for (const name of ['etag', 'link', 'x-total-count']) {
        expect(head.headers[name]).toBe(full.headers[name]);
        expect(unchanged.headers[name]).toBe(full.headers[name]);
      }
      expect((await list(query, { 'if-none-match': '"other"' })).status).toBe(200);
    },
  );
});

describe('a filtered list of animals', () => {
  let service: GraphqlService;
  let herd: PetHerd;
  beforeAll(async () => {
    service = await startGraphqlService();
    herd = await PetHerd.of(service);
  });
  afterAll(() => service.close());

  it('has another tag once its total is another one, and the same while only other animals are added', async () => {
    const add = (name: string) => herd.add({ name, categoryId: 1n, status: 'sold', later: 1, isWithdrawn: false });
    for (const name of ['tag one', 'tag two']) await add(name);
    const read = (headers = {}) => service.client.get('/v1/pets?name=tag&limit=1&total=true', { headers });
    const before = await read();
    await add('tag three');
    const after = await read({ 'if-none-match': before.headers.etag });
    expect([after.status, after.headers['x-total-count'], after.headers.link]).toEqual([200, '3', before.headers.link]);
    await add('other');
    expect((await read({ 'if-none-match': after.headers.etag })).status).toBe(304);
  });

  it('has exactly the animals that match, each once and in order, whatever animals and filters there are', async () => {
    const request = fc.record({
      filters: drawnFilters(() => herd.pets),
      order: fc.constantFrom('asc', 'desc', undefined),
      limit: fc.constantFrom(2, 3, 7, 100),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(drawnPet, { maxLength: 8 }), request, async (pets, { filters, order, limit }) => {
        for (const pet of pets) await herd.add(pet);
        const expected = matching(herd.pets, filters);
        const query = new URLSearchParams({ ...toQuery(filters), ...(order && { order }), limit: `${limit}`, total: 'true' });
        const pages = await walkLinks(`/v1/pets?${query.toString()}`, (target) => service.client.get(target));
        expect(pages.flatMap(idsOf)).toEqual(order === 'desc' ? expected.toReversed() : expected);
        expect(pages.slice(0, -1).every((page) => idsOf(page).length === limit)).toBe(true);
        for (const { headers } of pages) expect(headers['x-total-count']).toBe(`${expected.length}`);
      }),
      { numRuns: 25 },
    );
  });
});

describe('filters of the list of orders', () => {
  let store: Store;
  beforeAll(async () => {
    store = await startStore();
    const pets = await store.addSeveral(5);
    const [first = 0, second = 0, third = 0, fourth = 0, fifth = 0] = pets;
    const place = async (petId: number, key = store.customer) => {
      store.clock.advance(1);
      expect((await store.order({ petId }, { key })).status).toBe(201);
    };
    await place(first); // 1, placed at 12:00:00.001
    await place(second); // 2
    await place(third, store.neighbour); // 3
    await place(fourth); // 4
    await store.move(1, 'approve');
    await store.move(2, 'cancel');
    await place(second); // 5
    await store.move(5, 'approve');
    await store.move(5, 'deliver');
    await place(fifth, store.neighbour); // 6
  });
  afterAll(() => store.close());

  const list = (query: string, key = store.staff) => store.client.get(`${ORDERS}?${query}`, { key });

  it.each([
    ['', [1, 2, 3, 4, 5, 6], [1, 2, 4, 5]],
    ['order=desc', [6, 5, 4, 3, 2, 1], [5, 4, 2, 1]],
    ['status=placed', [3, 4, 6], [4]],
    ['status=placed,cancelled', [2, 3, 4, 6], [2, 4]],
    ['status=approved,delivered&order=desc', [5, 1], [5, 1]],
    ['status=expired', [], []],
    ['petId=2', [2, 5], [2, 5]],
    ['petId=5,2,3,99', [2, 3, 5, 6], [2, 5]],
    ['petId=3', [3], []],
    [`placedSince=${at(4)}`, [4, 5, 6], [4, 5]],
    [`placedBefore=${at(3)}`, [1, 2], [1, 2]],
    [`placedSince=${at(2)}&placedBefore=${at(6)}&order=desc`, [5, 4, 3, 2], [5, 4, 2]],
    [`petId=2,4,5&status=placed,delivered&placedSince=${at(4)}`, [4, 5, 6], [4, 5]],
  ])('give for ?%s the orders %j of all, and %j of one key', async (query, ofAll, ofCustomer) => {
    for (const [key, expected] of [
      [store.staff, ofAll],
      [store.customer, ofCustomer],
    ] as const) {
      const pages = await walkLinks(`${ORDERS}?${query}&limit=2&total=true`, (target) => store.client.get(target, { key }));
      expect(pages.flatMap(idsOf)).toEqual(expected);
      for (const { headers } of pages) expect(headers['x-total-count']).toBe(`${expected.length}`);
      expect((await list(query, key)).headers['x-total-count']).toBeUndefined();
    }
  });

  it('are in the link, and its cursor is refused with others', async () => {
    const next = new URL(nextOf(await list(`status=placed,approved&placedSince=${at(0)}&limit=1`)) ?? '', store.origin).searchParams;
    const cursor = next.get('cursor') ?? '';
    expect(Object.fromEntries(next)).toEqual({ limit: '1', status: 'placed,approved', placedSince: at(0), cursor });
    for (const query of ['', 'status=placed,approved', `status=placed,approved&placedSince=${at(1)}`, `placedSince=${at(0)}`]) {
      expect((await list(`${query}&cursor=${cursor}`)).json()).toMatchObject({ code: 'invalid_parameter' });
    }
  });

  it.each([
    ['status=unset', 'status must be one of placed, approved, delivered, cancelled, expired'],
    ['petId=0x1', 'petId must be an integer'],
    ['placedSince=now', 'placedSince must be'],
    ['placedbefore=2026-06-01T00:00:00Z', '(did you mean placedBefore?)'],
    ['placedBy=3', '"placedBy" is not a query parameter'],
  ])('refuse ?%s', async (query, expected) => {
    const answer = await list(query);
    expect(answer.json()).toMatchObject({ code: 'invalid_parameter', message: expect.stringContaining(expected) });
  });
});

describe('times of the list of events', () => {
  let service: GraphqlService;
  let key: string;
  beforeAll(async () => {
    service = await startGraphqlService();
    key = (await service.issueKey({ ...UNLIMITED, scopes: ['events'] })).token;
    for (const name of ['one', 'two', 'three', 'four']) {
      service.clock.advance(1);
      await service.addPet(name);
    }
  });
  afterAll(() => service.close());

  const read = (query: string, headers = {}) => service.client.get(`/v1/events?${query}`, { key, headers });
  const names = (answer: Awaited<ReturnType<typeof read>>) => answer.json<{ data: { name: string } }[]>().map(({ data }) => data.name);

  it.each([
    [`since=${at(3)}`, ['three', 'four']],
    [`before=${at(3)}`, ['one', 'two']],
    [`since=${at(2)}&before=${at(4)}`, ['two', 'three']],
    [`since=${at(4)}&before=${at(2)}`, []],
    [`since=${at(5)}`, []],
    [`since=${at(2)}&subject=pets/3`, ['three']],
    [`before=${at(3)}&type=pet.added,pet.withdrawn`, ['one', 'two']],
    [`since=${at(2)}&type=pet.withdrawn`, []],
  ])('give for ?%s the events %j, also page by page', async (query, expected) => {
    expect(names(await read(query))).toEqual(expected);
    const pages = await walkLinks(`/v1/events?${query}&limit=1`, (target) => service.client.get(target, { key }));
    expect(pages.flatMap(names)).toEqual(expected);
  });

  it('are in the link to the millisecond, and end a page that begins after an event', async () => {
    const page = await read('since=2026-06-01T14:00:00.0019%2B02:00&before=2026-06-01T12:00:00.004Z&limit=1');
    const next = Object.fromEntries(new URL(nextOf(page) ?? '', service.origin).searchParams);
    expect(next).toEqual({ limit: '1', since: at(1), before: at(4), after: page.json<{ id: string }[]>()[0]?.id });
    expect(names(await read(`after=${next['after']}&before=${at(4)}`))).toEqual(['two', 'three']);
  });

  it.each([
    [`before=${at(1)}&timeout=10`, 'application/cloudevents-batch+json', 'before cannot be given together with timeout'],
    [`before=${at(1)}`, 'text/event-stream', 'before must be omitted'],
    ['since=soon', 'application/json', 'since must be'],
    ['sinse=2026-06-01T00:00:00Z', 'application/json', '(did you mean since?)'],
    ['order=desc', 'application/json', '"order" is not a query parameter'],
  ])('refuse ?%s with Accept: %s', async (query, accept, expected) => {
    expect((await read(query, { accept })).json<{ message: string }>().message).toContain(expected);
  });
});
