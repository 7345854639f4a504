import { encodeCursor } from '#libs/http';
import { ask, LISTS, nextOf, ORDERS_BY, pageReader } from './lists.fixture.js';
import { UNLIMITED } from './service.fixture.js';
import { ORDERS, startStore, type Store } from './store.fixture.js';
import { ADDRESS, WEBHOOKS } from './webhooks.fixture.js';

const PETS = '/v1/pets';
const EVENTS = '/v1/events';
const T = '2026-06-01T12:00:00Z';
const NO_CURSOR = 'AAAAAAAAAAAAAAAA';

/** A filter of each list of the query schema, and its input type. */
const FILTERS = {
  pets: ['PetFilter', { ids: ['1', '2'], statusIn: ['AVAILABLE', 'PENDING'], withdrawn: false }],
  orders: ['OrderFilter', { statusIn: ['CANCELLED'], petIn: ['1'], placedSince: T }],
  events: ['EventFilter', { types: ['pet-added', 'order-placed'], since: T }],
  apiKeys: ['ApiKeyFilter', { ids: ['1', '2', '3'], status: 'ACTIVE' }],
} as const;

/** What the contract of the document draws is not here again. */
describe('what lists refuse', () => {
  let store: Store;
  let key: string;
  beforeAll(async () => {
    // Nothing is sent to the webhook endpoints.
    store = await startStore({ polls: false });
    key = (await store.issueKey({ ...UNLIMITED, scopes: ['pets', 'graphql', 'webhooks', 'events', 'orders:all'] })).token;
    const petId = await store.addAvailable();
    for (let count = 0; count < 3; count += 1) {
      await store.move((await store.place(petId)).id, 'cancel');
      await store.client.post(WEBHOOKS, { url: ADDRESS }, { key });
    }
    await store.addSeveral(4);
    await store.place(2);
  });
  afterAll(() => store.close());

  const get = (target: string) => store.client.get(target, { key });
  const expectRefused = async (target: string, fields: readonly string[]) => {
    const refusal = { code: 'invalid_parameter', status: 400, errors: fields.map((field) => expect.objectContaining({ field })) };
    expect((await get(target)).json()).toMatchObject(refusal);
  };
  const refusedFields = async (query: string, variables: object = {}) => {
    const { errors = [] } = await ask(store, key, query, variables);
    expect(errors).toMatchObject([{ extensions: { code: 'invalid_parameter' } }]);
    return errors.flatMap(({ extensions }) => (extensions as { errors?: { field: string }[] }).errors?.map(({ field }) => field));
  };

  it.each<[list: string, query: string, fields: readonly string[]]>([
    [PETS, 'limit=5&limit=5', ['limit']],
    [PETS, '__proto__=1', ['__proto__']],
    [PETS, 'status=sold,,unset', ['status']],
    [PETS, 'addedBefore=2026-02-30T00:00:00Z', ['addedBefore']],
    [PETS, 'ids=1,9223372036854775808', ['ids']],
    [PETS, 'ids=1&limit=5', ['ids']],
    [PETS, 'ids=1&cursor=abc', ['cursor', 'ids']],
    [PETS, `ids=${Array.from({ length: 101 }, () => '1').join()}`, ['ids']],
    [
      PETS,
      'limit=0&status=lost&name=r&categoryId=x&addedSince=no&addedBefore=no&order=up&total=yes&nmae=rex',
      ['limit', 'order', 'total', 'status', 'categoryId', 'name', 'addedSince', 'addedBefore', 'nmae'],
    ],
    [ORDERS, 'status=unset', ['status']],
    [EVENTS, 'type=pet.lost', ['type']],
    [EVENTS, `before=${T}&timeout=10`, ['before']],
  ])('%s?%s, by the names of the parameters', async (list, query, fields) => {
    await expectRefused(`${list}?${query}`, fields);
  });

  it.each([
    [PETS, 'page=2', '"page" is not a query parameter of this operation, which takes limit, cursor, order, total, status,'],
    [EVENTS, 'page=2', 'which takes limit, type, subject, after,'],
    [
      PETS,
      'addedSince=2026-06-01T12:00:00+02:00',
      'addedSince must be a time as RFC 3339 writes it, such as 2026-06-01T12:00:00Z, without a leap second, and in a query with %2B for + (given: "2026-06-01T12:00:00 02:00").',
    ],
    [PETS, 'addedSince=2016-12-31T23:59:60Z', 'without a leap second'],
    [PETS, 'status=lost,unset', 'or several of them separated by commas (given: ["lost","unset"]).'],
    [PETS, `name=${'é'.repeat(256)}`, `not blank (given: "${'é'.repeat(39)}…).`],
    [`${PETS}/07`, '', 'petId must be an integer from -9223372036854775808 to 9223372036854775807, written in plain digits (given: "07").'],
  ])('%s?%s, with what would be right', async (list, query, message) => {
    expect((await get(`${list}?${query}`)).json()).toMatchObject({ message: expect.stringContaining(message) });
  });

  it.each([
    [PETS, 'status=pending&status=available', 'status=pending,available'],
    [PETS, 'ids=3&ids=2,1', 'ids=3,2,1'],
    [ORDERS, 'petId=1&petId=2&limit=2', 'petId=1,2&limit=2'],
    [EVENTS, 'type=pet.added&type=order.placed&limit=2', 'type=pet.added,order.placed&limit=2'],
  ])('no list whose values are each a parameter: %s?%s', async (list, repeated, joined) => {
    const given = await get(`${list}?${repeated}`);
    expect(given.status).toBe(200);
    expect([given.text, nextOf(given)]).toEqual([(await get(`${list}?${joined}`)).text, nextOf(await get(`${list}?${joined}`))]);
  });

  it('a cursor of another list, but none of animals that was given out before cursors named their list', async () => {
    const lists = [PETS, ORDERS, WEBHOOKS];
    const cursors = await Promise.all(
      lists.map(async (list) => new URL(nextOf(await get(`${list}?limit=1`)) ?? '', store.origin).searchParams.get('cursor') ?? ''),
    );
    for (const [place, list] of lists.entries()) {
      for (const [from, cursor] of cursors.entries()) {
        if (from === place) expect((await get(`${list}?cursor=${cursor}`)).status).toBe(200);
        else await expectRefused(`${list}?cursor=${cursor}`, ['cursor']);
      }
    }
    expect((await get(`${PETS}?cursor=${encodeCursor(1n, {})}`)).status).toBe(200);
    const ofEndpoint = `${WEBHOOKS}/1/deliveries`;
    expect((await get(`${ofEndpoint}?cursor=${encodeCursor(1n, {}, ofEndpoint)}`)).status).toBe(200);
    await expectRefused(`${WEBHOOKS}/2/deliveries?cursor=${encodeCursor(1n, {}, ofEndpoint)}`, ['cursor']);
  });

  it.each([
    [PETS, 'status=available,pending&order=desc', ['status=available,pending', 'status=pending,available&order=desc', 'order=desc', '']],
    [PETS, 'status=available', ['status=available&name=rex', 'status=available&categoryId=7', `status=available&addedSince=${T}`]],
    [PETS, '', ['order=desc', 'total=true', 'status=available']],
    [ORDERS, `status=placed,cancelled&placedSince=${T}`, ['', 'status=placed,cancelled', `placedSince=${T}`, 'petId=1']],
  ])('a cursor of other filters or another order: %s?%s', async (list, query, others) => {
    const next = nextOf(await get(`${list}?${query}&limit=1`)) ?? '';
    const cursor = new URL(next, store.origin).searchParams.get('cursor') ?? '';
    expect((await get(`${list}?${query}&limit=3&cursor=${cursor}`)).status).toBe(200);
    for (const other of others) await expectRefused(`${list}?${other}&cursor=${cursor}`, ['cursor']);
    for (let index = 0; index < cursor.length; index += 1) {
      const changed = cursor.slice(0, index) + (cursor[index] === 'A' ? 'B' : 'A') + cursor.slice(index + 1);
      await expectRefused(`${list}?${query}&cursor=${changed}`, ['cursor']);
    }
  });

  it.each([
    ['pets(status: SOLD, filter: { statusIn: [AVAILABLE] })', 0],
    ['pets(status: AVAILABLE, filter: { statusIn: [AVAILABLE, SOLD] })', 4],
    ['pets(categoryId: 7, filter: { categoryIn: [8, 9] })', 0],
    ['orders(status: PLACED, filter: { statusIn: [CANCELLED] })', 0],
    ['orders(petId: 1, filter: { statusIn: [CANCELLED] })', 3],
    ['events(type: "pet-added", filter: { types: ["order-placed"] })', 0],
    ['events(stream: "pet-1", filter: { types: ["pet-added"] })', 1],
    ['apiKeys(status: REVOKED, filter: { status: ACTIVE })', 0],
    ['apiKeys(name: "a", filter: { nameContains: "no such name" })', 0],
    ['apiKeys(name: "no such name", filter: { nameContains: "e" })', 0],
    ['apiKeys(usedAbove: 99, filter: { usedAbove: 0 })', 0],
  ])('an item of the query schema that a deprecated argument or the filter refuses: %s', async (list, count) => {
    const { data, errors } = await ask(store, key, `{ list: ${list} { totalCount nodes { __typename } } }`);
    expect(errors).toBeUndefined();
    expect(data?.list).toMatchObject({ totalCount: count, nodes: { length: count } });
  });

  it.each(['events(filter: { positionFrom: "-1" })', 'events(filter: { positionTo: "-1" })', 'event(position: "-1")'])(
    'a position before the log: %s',
    async (field) => {
      const name = /position\w*/.exec(field)?.[0];
      const selected = field.startsWith('events') ? '{ totalCount }' : '{ type }';
      expect(await refusedFields(`{ ${field} ${selected} }`)).toEqual([field.startsWith('events') ? `filter.${name}` : name]);
    },
  );

  describe.each(LISTS)('%s of the query schema', (_list, _member, query) => {
    it.each([
      [{ first: 2, last: 2 }, 'first and last cannot be given together'],
      [{ before: 'cursor' }, 'before cannot be given here'],
      [{ last: 2, after: 'cursor' }, 'after cannot be given here'],
      [{ last: 101 }, 'last must be'],
      [{ first: 101 }, 'first must be'],
      [{ first: 2, after: NO_CURSOR }, 'after is not a cursor of this list'],
      [{ last: 2, before: NO_CURSOR }, 'before is not a cursor of this list'],
    ])('%j', async (given, message) => {
      const { errors } = await ask(store, key, query, given);
      expect(errors).toMatchObject([{ message: expect.stringContaining(message), extensions: { code: 'invalid_parameter' } }]);
    });

    it('a cursor of another order or list, but not null', async () => {
      const read = pageReader(store, key, query);
      expect(await read({ first: null, after: null, last: null, before: null, orderBy: null })).toEqual(await read({}));
      const after = (await read({ first: 1 })).pageInfo.endCursor;
      for (const orderBy of ORDERS_BY.slice(1, 4)) expect(await refusedFields(query, { after, orderBy })).toEqual(['after']);
      for (const [, , other] of LISTS.filter(([, , each]) => each !== query)) {
        expect(await refusedFields(other, { after })).toEqual(['after']);
        expect(await refusedFields(other, { last: 1, before: after })).toEqual(['before']);
      }
    });
  });

  describe.each(LISTS.slice(0, 4))('the filter of %s', (list, _member, query) => {
    const [input, filter] = FILTERS[list as keyof typeof FILTERS];

    it('with a cursor of other values, whatever the order of its members', async () => {
      const after = (await pageReader(store, key, query, { filter })({ first: 1 })).pageInfo.endCursor;
      const turned = Object.fromEntries(Object.entries(filter).toReversed());
      expect((await pageReader(store, key, query, { filter: turned })({ after })).edges.length).toBeGreaterThan(0);
      for (const other of [undefined, {}, Object.fromEntries(Object.entries(filter).slice(1))]) {
        expect(await refusedFields(query, { filter: other, after })).toEqual(['after']);
      }
    });

    it('that is null, also in one of its members', async () => {
      expect(await refusedFields(query, { filter: null })).toEqual(['filter']);
      const { data } = await ask(store, key, `{ __type(name: "${input}") { inputFields { name } } }`);
      const members = (data as unknown as { __type: { inputFields: { name: string }[] } }).__type.inputFields;
      expect(members.length).toBeGreaterThan(5);
      for (const { name } of members) {
        expect(await refusedFields(query, { filter: { [name]: null } })).toEqual([`filter.${name}`]);
        expect(await refusedFields(`{ ${list}(filter: { ${name}: null }) { totalCount } }`)).toEqual([`filter.${name}`]);
      }
    });
  });
});
