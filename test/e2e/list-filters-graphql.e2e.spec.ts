import fc from 'fast-check';
import { codesOf, startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { drawnFilters, drawnPet, matching, PetHerd, toInput } from './list-filters.fixture.js';
import { UNLIMITED } from './service.fixture.js';
import { startStore, type Store } from './store.fixture.js';
import { ADDRESS, WEBHOOKS } from './webhooks.fixture.js';

interface Page {
  readonly totalCount: number;
  readonly edges: readonly { readonly cursor: string; readonly node: Readonly<Record<string, string>> }[];
  readonly pageInfo: { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null };
}

type PageArguments = Readonly<Record<string, unknown>>;
type ReadPage = (given: PageArguments) => Promise<Page>;

const ORDERS_BY = ['ID_ASC', 'ID_DESC', 'TIME_ASC', 'TIME_DESC', undefined];
const PLACE = '$first: Int, $after: String, $last: Int, $before: String, $orderBy: ListOrder';
const GIVEN = 'first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy';
const fieldsOf = (node: string) =>
  `{ totalCount edges { cursor node { ${node} } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;

/** The lists of the query schema, what tells their items apart, and the operation that reads a page. */
const LISTS = [
  ['pets', 'id', `query(${PLACE}, $filter: PetFilter) { list: pets(${GIVEN}, filter: $filter) ${fieldsOf('id')} }`],
  ['orders', 'id', `query(${PLACE}, $filter: OrderFilter) { list: orders(${GIVEN}, filter: $filter) ${fieldsOf('id')} }`],
  ['events', 'position', `query(${PLACE}, $filter: EventFilter) { list: events(${GIVEN}, filter: $filter) ${fieldsOf('position')} }`],
  ['apiKeys', 'id', `query(${PLACE}, $filter: ApiKeyFilter) { list: apiKeys(${GIVEN}, filter: $filter) ${fieldsOf('id')} }`],
  ['webhooks', 'id', `query(${PLACE}) { list: webhooks(${GIVEN}) ${fieldsOf('id')} }`],
  ['Pet.orders', 'id', `query(${PLACE}) { pet(id: 1) { list: orders(${GIVEN}) ${fieldsOf('id')} } }`],
] as const;

/** Reads all pages from the beginning, or from the end of the list, and checks what each says of its neighbours. */
async function walk(read: ReadPage, size: number, backward: boolean): Promise<Page['edges']> {
  let edges: Page['edges'] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Page = await read(backward ? { last: size, before: cursor } : { first: size, after: cursor });
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
    expect([startCursor, endCursor]).toEqual([page.edges.at(0)?.cursor ?? null, page.edges.at(-1)?.cursor ?? null]);
    const [goesOn, cameFrom] = backward ? [hasPreviousPage, hasNextPage] : [hasNextPage, hasPreviousPage];
    expect(cameFrom).toBe(cursor !== undefined);
    if (goesOn) expect(page.edges).toHaveLength(size);
    edges = backward ? [...page.edges, ...edges] : [...edges, ...page.edges];
    expect(page.totalCount).toBeGreaterThanOrEqual(edges.length);
    cursor = goesOn ? (backward ? startCursor : endCursor) : null;
    if (cursor === null) expect(page.totalCount).toBe(edges.length);
  }
  return edges;
}

describe('lists of the query schema', () => {
  let store: Store;
  let token: string;
  beforeAll(async () => {
    // Nothing is sent to the webhook endpoints.
    store = await startStore({ polls: false });
    token = (await store.issueKey({ ...UNLIMITED, scopes: ['graphql', 'webhooks', 'events'] })).token;
    const petId = await store.addAvailable();
    for (let count = 0; count < 3; count += 1) {
      store.clock.advance(1);
      const { id } = await store.place(petId);
      await store.move(id, 'cancel');
      expect((await store.client.post(WEBHOOKS, { url: ADDRESS }, { key: token })).status).toBe(201);
    }
    await store.addSeveral(4);
    await store.place(2);
  });
  afterAll(() => store.close());

  const ask = async (query: string, variables: object = {}) => {
    const answer = await store.client.post('/graphql', { query, variables }, { key: token });
    return answer.json<{
      data: { list?: Page; pet?: { list: Page } } | null;
      errors?: { message: string; extensions: { code: string } }[];
    }>();
  };
  const reader =
    (query: string, further: PageArguments = {}): ReadPage =>
    async (given) => {
      const { data, errors } = await ask(query, { ...further, ...given });
      expect(errors).toBeUndefined();
      return data?.list ?? (data?.pet?.list as Page);
    };
  const messagesOf = async (query: string, variables: object = {}) => {
    const { errors = [] } = await ask(query, variables);
    expect(codesOf({ errors })).toEqual(['invalid_parameter']);
    return errors.map(({ message }) => message).join();
  };

  describe.each(LISTS)('%s', (_list, member, query) => {
    it.each(ORDERS_BY)('has the same items forwards and backwards, each once, with orderBy %s', async (orderBy) => {
      const whole = await reader(query, { orderBy })({ first: 100 });
      const numbers = whole.edges.map(({ node }) => Number(node[member]));
      expect(numbers.length).toBeGreaterThan(2);
      expect(numbers).toEqual(numbers.toSorted((one, other) => (orderBy?.endsWith('DESC') ? other - one : one - other)));
      expect(whole.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false });
      for (const size of [1, numbers.length]) {
        for (const backward of [false, true]) expect(await walk(reader(query, { orderBy }), size, backward)).toEqual(whole.edges);
      }
    });

    it('has empty pages beyond both ends', async () => {
      const read = reader(query);
      const { edges } = await read({ first: 100 });
      const empty = { edges: [], totalCount: edges.length };
      const ends = { startCursor: null, endCursor: null };
      expect(await read({ first: 2, after: edges.at(-1)?.cursor })).toEqual({
        ...empty,
        pageInfo: { ...ends, hasNextPage: false, hasPreviousPage: true },
      });
      expect(await read({ last: 2, before: edges.at(0)?.cursor })).toEqual({
        ...empty,
        pageInfo: { ...ends, hasNextPage: true, hasPreviousPage: false },
      });
    });

    it.each([
      [{ first: 2, last: 2 }, 'first and last cannot be given together'],
      [{ first: 2, before: 'cursor' }, 'before cannot be given here'],
      [{ before: 'cursor' }, 'before cannot be given here'],
      [{ last: 2, after: 'cursor' }, 'after cannot be given here'],
      [{ last: 0 }, 'last must be an integer from 1 to 100'],
      [{ last: 101 }, 'last must be an integer from 1 to 100'],
      [{ first: 101 }, 'first must be an integer from 1 to 100'],
      [{ first: 2, after: 'AAAAAAAAAAAAAAAA' }, 'after is not a cursor of this list'],
      [{ last: 2, before: 'AAAAAAAAAAAAAAAA' }, 'before is not a cursor of this list'],
    ])('refuses %j', async (given, expected) => {
      expect(await messagesOf(query, given)).toContain(expected);
    });

    it('takes null as not given', async () => {
      const read = reader(query);
      const given = { first: null, after: null, last: null, before: null, orderBy: null };
      expect(await read(given)).toEqual(await read({}));
    });

    it('refuses a cursor of another order, and of every other list', async () => {
      const { pageInfo } = await reader(query)({ first: 1 });
      const after = pageInfo.endCursor;
      expect(await messagesOf(query, { after, orderBy: 'ID_DESC' })).toContain('after is not a cursor');
      for (const [, , other] of LISTS) {
        if (other !== query) expect(await messagesOf(other, { after })).toContain('after is not a cursor');
        if (other !== query) expect(await messagesOf(other, { last: 1, before: after })).toContain('before is not a cursor');
      }
    });
  });

  describe.each(LISTS.slice(0, 4))('the filter of %s', (list, _member, query) => {
    const FILTERS = {
      pets: { ids: ['1', '2'], statusIn: ['AVAILABLE', 'PENDING'], withdrawn: false },
      orders: { statusIn: ['CANCELLED'], petIn: ['1'], placedSince: '2026-06-01T12:00:00Z' },
      events: { types: ['pet-added', 'order-placed'], since: '2026-06-01T12:00:00Z' },
      apiKeys: { ids: ['1', '2', '3'], status: 'ACTIVE' },
    };
    const filter = FILTERS[list as keyof typeof FILTERS];

    it('binds its cursors, whatever the order of its members', async () => {
      const { pageInfo } = await reader(query, { filter })({ first: 1 });
      expect(pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
      const after = pageInfo.endCursor;
      const turned = Object.fromEntries(Object.entries(filter).toReversed());
      expect((await reader(query, { filter: turned })({ after })).edges.length).toBeGreaterThan(0);
      for (const other of [undefined, {}, { ...filter, ids: ['1'] }, Object.fromEntries(Object.entries(filter).slice(1))]) {
        if (other && 'ids' in other && list === 'events') continue;
        expect(await messagesOf(query, { filter: other, after })).toContain('after is not a cursor');
      }
    });

    it('refuses null, as itself and for each of its members', async () => {
      expect(await messagesOf(query, { filter: null })).toBe('filter must not be null; leave it out to get all.');
      const input = await ask(`{ __type(name: "${INPUTS[list as keyof typeof INPUTS]}") { inputFields { name } } }`);
      const members = (input.data as unknown as { __type: { inputFields: { name: string }[] } }).__type.inputFields;
      expect(members.length).toBeGreaterThan(5);
      for (const { name } of members) {
        const expected = `filter.${name} must not be null; leave it out to get all.`;
        expect(await messagesOf(query, { filter: { [name]: null } })).toBe(expected);
        expect(await messagesOf(`{ ${list}(filter: { ${name}: null }) { totalCount } }`)).toBe(expected);
      }
    });

    const listMembers = { pets: ['ids', 'statusIn', 'categoryIn'], orders: ['ids', 'statusIn', 'petIn', 'placedByIn'] };
    const others = { events: ['streams', 'types'], apiKeys: ['ids'] };
    it.each({ ...listMembers, ...others }[list as keyof typeof FILTERS])('refuses an empty list of %s, and more than 100', async (name) => {
      const expected = `filter.${name} must have 1 to 100 values.`;
      expect(await messagesOf(query, { filter: { [name]: [] } })).toBe(expected);
      const value = name === 'statusIn' ? Object.values({ pets: 'SOLD', orders: 'PLACED' })[list === 'pets' ? 0 : 1] : '1';
      expect(await messagesOf(query, { filter: { [name]: Array.from({ length: 101 }, () => value) } })).toBe(expected);
    });
  });

  it('have each item once, also if a value of a filter is given twice', async () => {
    const idsOf = async (list: string, filter: string, member = 'id') => {
      const { data } = await ask(`{ list: ${list}(filter: {${filter}}) { totalCount edges { node { ${member} } } } }`);
      return [data?.list?.totalCount, data?.list?.edges.map(({ node }) => node[member])];
    };
    expect(await idsOf('pets', 'ids: [2, 2, 1]')).toEqual([2, ['1', '2']]);
    expect(await idsOf('pets', 'statusIn: [PENDING, PENDING]')).toEqual([1, ['2']]);
    expect(await idsOf('pets', 'statusIn: [PENDING, PENDING], categoryIn: [7, 7]')).toEqual([1, ['2']]);
    expect(await idsOf('orders', 'petIn: [2, 2]')).toEqual([1, ['4']]);
    expect(await idsOf('apiKeys', 'ids: [1, 1]')).toEqual([1, ['1']]);
    expect(await idsOf('events', 'types: ["order-placed", "order-placed"], streams: ["order-4"]', 'stream')).toEqual([1, ['order-4']]);
    expect(await idsOf('events', 'streams: ["order-4", "order-4"]', 'stream')).toEqual([1, ['order-4']]);
    expect(await idsOf('events', 'types: ["pet-added", "pet-added"], before: "2026-06-01T12:00:00.001Z"', 'stream')).toEqual([
      1,
      ['pet-1'],
    ]);
  });

  it('have nothing of a time that ends before it begins', async () => {
    const times = (since: string, before: string) => `${since}: "2026-06-01T12:00:00.002Z", ${before}: "2026-06-01T12:00:00.001Z"`;
    for (const list of [
      `pets(filter: {${times('addedSince', 'addedBefore')}})`,
      `orders(filter: {${times('placedSince', 'placedBefore')}})`,
      `events(filter: {${times('since', 'before')}})`,
      'events(filter: {positionFrom: 4, positionTo: 2})',
    ]) {
      const { data } = await ask(`{ list: ${list} { totalCount edges { cursor } } }`);
      expect(data?.list).toEqual({ totalCount: 0, edges: [] });
    }
  });
});

const INPUTS = { pets: 'PetFilter', orders: 'OrderFilter', events: 'EventFilter', apiKeys: 'ApiKeyFilter' };

describe('a filtered list of animals in the query schema', () => {
  let service: GraphqlService;
  let herd: PetHerd;
  beforeAll(async () => {
    service = await startGraphqlService();
    herd = await PetHerd.of(service);
  });
  afterAll(() => service.close());

  const PETS = LISTS[0][2];
  const reader =
    (further: object): ReadPage =>
    async (given) => {
      const { data, errors } = await service.ask<{ list: Page }>(PETS, { ...further, ...given });
      expect(errors).toBeUndefined();
      return data?.list as Page;
    };

  it('has exactly the animals that match, forwards and backwards, whatever animals and filters there are', async () => {
    const request = fc.record({
      filters: drawnFilters(() => herd.pets),
      orderBy: fc.constantFrom(...ORDERS_BY),
      size: fc.constantFrom(3, 7, 100),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(drawnPet, { maxLength: 8 }), request, async (pets, { filters, orderBy, size }) => {
        for (const pet of pets) await herd.add(pet);
        const filter = toInput(filters);
        fc.pre(filter !== undefined);
        const ascending = matching(herd.pets, filters);
        const expected = orderBy?.endsWith('DESC') ? ascending.toReversed() : ascending;
        for (const backward of [false, true]) {
          const edges = await walk(reader({ filter, orderBy }), size, backward);
          expect(edges.map(({ node }) => Number(node['id']))).toEqual(expected);
        }
      }),
      { numRuns: 20 },
    );
  });

  it('shows withdrawn animals only to whom asks for them, with the reason', async () => {
    await herd.add({ name: 'Withdrawn one', categoryId: 99n, status: undefined, isWithdrawn: true, later: 1 });
    await herd.add({ name: 'Withdrawn not', categoryId: 99n, status: undefined, isWithdrawn: false, later: 1 });
    const find = async (further: string) => {
      const operation = `{ pets(filter: { nameContains: "WITHDRAWN"${further} }) { totalCount nodes { name withdrawalReason } } }`;
      return (await service.ask<{ pets: object }>(operation)).data?.pets;
    };
    const present = { totalCount: 1, nodes: [{ name: 'Withdrawn not', withdrawalReason: null }] };
    expect([await find(''), await find(', withdrawn: false')]).toEqual([present, present]);
    expect(await find(', withdrawn: true, categoryIn: [99]')).toEqual({
      totalCount: 1,
      nodes: [{ name: 'Withdrawn one', withdrawalReason: 'gone' }],
    });
  });
});
