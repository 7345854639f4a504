import fc from 'fast-check';
import type { Answer } from './api-client.fixture.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import * as lists from './lists.fixture.js';
import { idsOf, LISTS, matching, ORDERS_BY, pageReader, PetHerd, walk, walkLinks } from './lists.fixture.js';
import { UNLIMITED } from './service.fixture.js';
import { ORDERS, startStore, type OrderBody, type Store } from './store.fixture.js';
import { ADDRESS, WEBHOOKS } from './webhooks.fixture.js';

const directed = <Item>(ascending: readonly Item[], order = 'asc') => (/desc$/i.test(order) ? ascending.toReversed() : ascending);
const inTime = (time: string, { since, before }: { since?: string | undefined; before?: string | undefined }) =>
  (since === undefined || time >= since) && (before === undefined || time < before);
/** A moment at, before or after one of the given times. */
const moments = (times: () => readonly string[]) =>
  fc.tuple(fc.nat(100), fc.constantFrom(-1, 0, 1)).map(([place, later]) => {
    const time = times()[place % times().length] ?? '';
    return new Date(Date.parse(time) + later).toISOString();
  });
const maybe = <Value>(drawn: fc.Arbitrary<Value>) => fc.option(drawn, { nil: undefined, freq: 2 });
const toQuery = (given: object) =>
  new URLSearchParams(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as [string, string]])),
  ).toString();

describe('lists', () => {
  describe('the list of animals', () => {
    let service: GraphqlService;
    let herd: PetHerd;
    beforeAll(async () => {
      service = await startGraphqlService();
      herd = await PetHerd.of(service);
    });
    afterAll(() => service.close());

    const get = (query: string, headers = {}) => service.client.get(`/v1/pets?${query}`, { headers });
    const read = (target: string) => service.client.get(target);
    const add = (name: string, further: object = {}) =>
      herd.add({ name, categoryId: 99n, status: 'sold', isWithdrawn: false, later: 1, ...further });

    it('has exactly those that match, each once and in order, in every page of REST and of the query schema', async () => {
      const request = fc.record({
        filters: lists.drawnFilters(() => herd.pets),
        order: fc.constantFrom('asc', 'desc', undefined),
        orderBy: fc.constantFrom(...ORDERS_BY),
        size: fc.constantFrom(2, 3, 7, 100),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(lists.drawnPet, { maxLength: 8 }), request, async (pets, { filters, order, orderBy, size }) => {
          for (const pet of pets) await herd.add(pet);
          const expected = matching(herd.pets, filters);
          const byId = expected.toSorted((one, other) => one - other);
          const parameters = { ...lists.toQuery(filters), order, total: true };
          const target = `/v1/pets?${toQuery(filters.ids ? parameters : { ...parameters, limit: size })}`;
          const pages = await walkLinks(target, read);
          const listed = directed(filters.ids ? byId : expected, order);
          expect(pages.flatMap(idsOf)).toEqual(listed);
          const texts = listed.map((id) => herd.pets.find((pet) => pet.id === id)?.text);
          expect(
            pages
              .map(({ text }) => text.slice(1, -1))
              .filter((text) => text !== '')
              .join(),
          ).toBe(texts.join());
          if (!filters.ids) for (const page of pages.slice(0, -1)) expect(idsOf(page)).toHaveLength(size);
          for (const { headers } of pages) expect(headers['x-total-count']).toBe(`${expected.length}`);
          const { headers, status } = await service.client.get(target, { headers: { 'if-none-match': pages[0]?.headers.etag ?? '' } });
          expect([status, headers.link, headers['x-total-count']]).toEqual([304, pages[0]?.headers.link, `${expected.length}`]);

          const filter = lists.toInput(filters);
          if (!filter) return;
          for (const backward of [false, true]) {
            const edges = await walk(pageReader(service, service.token, LISTS[0][2], { filter, orderBy }), Math.max(size, 3), backward);
            const ofOrder = orderBy?.startsWith('TIME') ? expected : byId;
            expect(edges.map(({ node }) => Number(node['id']))).toEqual(directed(ofOrder, orderBy));
          }
        }),
        { numRuns: 25 },
      );
    });

    it('gives each request its own animal, however many are asked for at once', async () => {
      await add('Gone', { isWithdrawn: true });
      for (const name of ['First', 'Second', 'Third']) await add(name);
      const [gone, ...present] = herd.pets.slice(-4);
      const wanted = [...present, gone, ...present.toReversed()].map((pet) => ({
        id: pet?.id,
        text: pet === gone ? undefined : pet?.text,
      }));
      const answers = await Promise.all([...wanted, { id: 9_999_999 }].map(({ id }) => read(`/v1/pets/${id}`)));
      const texts = answers.map(({ status, text }) => (status === 404 ? undefined : text));
      expect(texts).toEqual([...wanted.map(({ text }) => text), undefined]);
    });

    it('shows withdrawn animals only to whom asks for them, with the reason', async () => {
      await add('Withdrawn one', { isWithdrawn: true });
      await add('Withdrawn not');
      const find = async (further: string) => {
        const operation = `{ pets(filter: { nameContains: "WITHDRAWN"${further} }) { totalCount nodes { name withdrawalReason } } }`;
        return (await service.ask<{ pets: object }>(operation)).data?.pets;
      };
      const present = { totalCount: 1, nodes: [{ name: 'Withdrawn not', withdrawalReason: null }] };
      expect([await find(''), await find(', withdrawn: false')]).toEqual([present, present]);
      const gone = { totalCount: 1, nodes: [{ name: 'Withdrawn one', withdrawalReason: 'gone' }] };
      expect(await find(', withdrawn: true, categoryIn: [99, 99]')).toEqual(gone);
      expect(idsOf(await get('name=withdrawn&status=sold,sold'))).toHaveLength(1);
    });

    it('shows every animal once while others are added, and each as soon as it is acknowledged', async () => {
      const seen: number[] = [];
      const addOne = async () => (await service.client.post('/v1/pets', { name: 'walked', categoryId: 1 })).json<{ id: number }>().id;
      const first = await addOne();
      const more = [first];
      await walkLinks('/v1/pets?limit=5&name=walked', async (target) => {
        if (more.length < 40) more.push(...(await Promise.all([addOne(), addOne()])));
        const page = await read(target);
        seen.push(...idsOf(page));
        return page;
      });
      expect(seen).toEqual(more.toSorted((one, other) => one - other));
    });
  });

  describe('the lists of a store', () => {
    let store: Store;
    let token: string;
    let orders: readonly (OrderBody & { readonly placedAt: string; readonly isOfCustomer: boolean })[];
    let events: readonly { readonly id: string; readonly time: string; readonly type: string; readonly subject: string }[];
    beforeAll(async () => {
      // Nothing is sent to the webhook endpoints.
      store = await startStore({ polls: false });
      token = (await store.issueKey({ ...UNLIMITED, scopes: ['graphql', 'webhooks', 'events', 'pets'] })).token;
      const pets = await store.addSeveral(5);
      const moves = [['cancel'], ['approve'], [], ['approve', 'deliver'], ['cancel'], [], []] as const;
      for (const [index, steps] of moves.entries()) {
        store.clock.advance(index % 3);
        const key = index % 3 === 2 ? store.neighbour : store.customer;
        const placed = await store.order({ petId: pets[[0, 1, 2, 3, 0, 4, 0][index] ?? 0] }, { key });
        expect(placed.status).toBe(201);
        for (const step of steps) await store.move(placed.json<OrderBody>().id, step);
        expect((await store.client.post(WEBHOOKS, { url: ADDRESS }, { key: token })).status).toBe(201);
      }
      const mine = new Set((await walkLinks(ORDERS, (target) => store.client.get(target, { key: store.customer }))).flatMap(idsOf));
      expect(mine.size).toBe(5);
      orders = (await store.client.get(ORDERS, { key: store.staff }))
        .json<typeof orders>()
        .map((order) => ({ ...order, isOfCustomer: mine.has(order.id) }));
      events = (await store.client.get('/v1/events?limit=100', { key: token })).json();
    });
    afterAll(() => store.close());

    it('have the orders that match, of all or of one key, in both transports', async () => {
      const times = moments(() => orders.map(({ placedAt }) => placedAt));
      const filters = fc.record({
        status: maybe(fc.uniqueArray(fc.constantFrom('placed', 'approved', 'delivered', 'cancelled', 'expired'), { minLength: 1 })),
        pets: maybe(fc.uniqueArray(fc.integer({ min: 1, max: 6 }), { minLength: 1 })),
        since: maybe(times),
        before: maybe(times),
      });
      await fc.assert(
        fc.asyncProperty(
          filters,
          fc.boolean(),
          fc.constantFrom('asc', 'desc'),
          fc.integer({ min: 1, max: 3 }),
          async (given, all, order, limit) => {
            const { status, pets, since, before } = given;
            const expected = orders
              .filter(
                (each) =>
                  (all || each.isOfCustomer) &&
                  ((status as readonly string[] | undefined)?.includes(each.status) ?? true) &&
                  (pets?.includes(each.petId) ?? true),
              )
              .filter(({ placedAt }) => inTime(placedAt, given))
              .map(({ id }) => id);
            const query = toQuery({ status, petId: pets, placedSince: since, placedBefore: before, order, limit, total: true });
            const pages = await walkLinks(`${ORDERS}?${query}`, (target) =>
              store.client.get(target, { key: all ? store.staff : store.customer }),
            );
            expect(pages.flatMap(idsOf)).toEqual(directed(expected, order));
            for (const { headers } of pages) expect(headers['x-total-count']).toBe(`${expected.length}`);
            const filter = {
              ...(status && { statusIn: status.map((word) => word.toUpperCase()) }),
              ...(pets && { petIn: pets }),
              ...(since !== undefined && { placedSince: since }),
              ...(before !== undefined && { placedBefore: before }),
              ...(!all && { placedByIn: [String(store.ids.customer), String(store.ids.customer)] }),
            };
            const edges = await walk(
              pageReader(store, token, LISTS[1][2], { filter, orderBy: `ID_${order.toUpperCase()}` }),
              limit + 2,
              all,
            );
            expect(edges.map(({ node }) => Number(node['id']))).toEqual(directed(expected, order));
          },
        ),
        { numRuns: 25 },
      );
    });

    it('have the events that match, page by page', async () => {
      const times = moments(() => events.map(({ time }) => time));
      const filters = fc.record({
        since: maybe(times),
        before: maybe(times),
        type: maybe(fc.constantFrom('pet.added', 'order.placed', 'pet.withdrawn', 'order.placed,pet.added')),
        subject: maybe(fc.constantFrom('pets/1', 'pets/9', 'orders/2')),
        after: maybe(fc.constantFrom('earliest', ...events.map(({ id }) => id))),
      });
      await fc.assert(
        fc.asyncProperty(filters, fc.integer({ min: 1, max: 7 }), async (given, limit) => {
          const { type, subject, after = 'earliest' } = given;
          const expected = events
            .filter((event) => inTime(event.time, given) && (type?.split(',').includes(event.type) ?? true))
            .filter((event) => subject === undefined || event.subject === subject)
            .filter(({ id }) => after === 'earliest' || BigInt(id) > BigInt(after));
          const pages = await walkLinks(`/v1/events?${toQuery({ ...given, limit })}`, (target) => store.client.get(target, { key: token }));
          expect(pages.flatMap((page: Answer) => page.json<unknown[]>())).toEqual(expected);
        }),
        { numRuns: 25 },
      );
    });

    describe.each(LISTS)('%s', (_list, member, query) => {
      const read = (orderBy?: string) => pageReader(store, token, query, { orderBy });

      it.each(ORDERS_BY)('has the same items forwards and backwards, each once, with orderBy %s', async (orderBy) => {
        const whole = await read(orderBy)({ first: 100 });
        const numbers = whole.edges.map(({ node }) => Number(node[member]));
        expect(numbers.length).toBeGreaterThan(2);
        expect(numbers).toEqual(numbers.toSorted((one, other) => (orderBy?.endsWith('DESC') ? other - one : one - other)));
        for (const size of [1, 3, numbers.length]) {
          for (const backward of [false, true]) expect(await walk(read(orderBy), size, backward)).toEqual(whole.edges);
        }
      });
    });
  });
});
