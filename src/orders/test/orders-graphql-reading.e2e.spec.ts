import { jest } from '@jest/globals';
import { QueryBus } from '@nestjs/cqrs';
import { Database } from '#libs/database';
import { TimeoutSchedule } from '#libs/event-sourcing';
import { ListOrders } from '../queries/orders.query.js';
import { startStore, type Store } from '../../../test/e2e/store.fixture.js';

const MANY = 100;
/** For the key and its limits, and for each of the two read models whether it is current: asked when that was a moment ago. */
const CHECKS = 4;

describe('a page of animals and orders', () => {
  let store: Store;
  beforeAll(async () => {
    store = await startStore();
    for (const petId of await store.addSeveral(MANY)) {
      for (const { id } of [await store.place(petId)]) await store.move(id, 'cancel');
      await store.place(petId);
    }
    // What looks for timeouts every second would be counted too.
    await store.app.get(TimeoutSchedule).beforeApplicationShutdown();
  });
  afterAll(() => store.close());

  it.each<[string, (first: number) => string, number]>([
    ['animals with their orders', (first) => `{ pets(first: ${first}) { nodes { name orders { nodes { status } } } } }`, 2],
    [
      'orders with their animals and what happened',
      (first) => `{ orders(first: ${first}) { nodes { id history { type } pet { name history { type } } } } }`,
      4,
    ],
    [
      'animals with their orders and what happened to those',
      (first) => `{ pets(first: ${first}) { nodes { orders(first: 2) { nodes { pet { name } history { type } } } } } }`,
      4,
    ],
  ])('of %s takes no more statements for a hundred than for a few', async (_what, page, reads) => {
    const statements = jest.spyOn(store.app.get(Database).reader, 'query');
    const forPage = async (first: number) => {
      const before = statements.mock.calls.length;
      const { errors, answer } = await store.ask(page(first));
      expect(errors).toBeUndefined();
      expect(answer.text.match(/"(?:status|type)":/g)?.length).toBeGreaterThanOrEqual(first);
      return statements.mock.calls.length - before;
    };
    for (const sizes of [
      [2, 3, 4, 5],
      [MANY - 3, MANY - 2, MANY - 1, MANY],
    ]) {
      const taken: number[] = [];
      for (const first of sizes) taken.push(await forPage(first));
      expect(Math.min(...taken)).toBeGreaterThan(1);
      // Work beside the request (leases, the tail of the log) can only add to a count.
      expect(Math.min(...taken)).toBeLessThanOrEqual(CHECKS + reads);
    }
  });
});

describe('cached results with orders', () => {
  let store: Store;
  beforeEach(async () => (store = await startStore()));
  afterEach(() => store.close());

  /** Asked so often that what may be kept is. */
  const often = async (document: string) => {
    for (let times = 0; times < 3; times += 1) await store.ask(document);
  };
  const told = async (document: string) => (await store.ask(document)).answer.text;

  it.each([
    '{ pets { nodes { orders { nodes { status } } } } }',
    '{ animals: pets { nodes { reservations: orders { edges { node { at: status } } } } } }',
    '{ pets { ...F } } fragment F on PetConnection { nodes { ...G } } fragment G on Pet { orders { nodes { ... on Order { status } } } }',
    '{ pet(id: 1) { ... { orders { nodes { status } } } } }',
    '{ order(id: 1) { status } }',
    '{ orders { nodes { status pet { name } } } }',
  ])('are of now after an approval, which changes no animal: %s', async (document) => {
    const petId = await store.addAvailable();
    const { id } = await store.place(petId);
    await often(document);
    expect(await told(document)).toContain('"PLACED"');
    await store.move(id, 'approve');
    expect(await told(document)).toContain('"APPROVED"');
  });

  it.each([
    '{ orders { nodes { pet { name } } } }',
    '{ all: orders { nodes { animal: pet { called: name } } } }',
    '{ ...F } fragment F on Query { order(id: 1) { ...G } } fragment G on Order { ... { pet { name } } }',
    '{ pets { nodes { orders { nodes { pet { name } } } } } }',
  ])('are of now after a new name, which changes no order: %s', async (document) => {
    const petId = await store.addAvailable();
    await store.place(petId);
    await often(document);
    expect(await told(document)).toContain('"Rex"');
    await store.change(petId, { name: 'Mia' });
    expect(await told(document)).toContain('"Mia"');
  });

  it('are cached if only orders are requested', async () => {
    const petId = await store.addAvailable();
    const { id } = await store.place(petId);
    const queries = jest.spyOn(store.app.get(QueryBus), 'execute');
    const pagesRead = () => queries.mock.calls.filter(([query]) => query instanceof ListOrders).length;
    const document = '{ orders { nodes { status history { type } } } }';
    await often(document);
    expect(pagesRead()).toBe(2);
    await store.change(petId, { name: 'Mia' });
    await often(document);
    expect(pagesRead()).toBe(2);
    await store.move(id, 'approve');
    await often(document);
    expect(pagesRead()).toBe(3);
  });

  it('are of now for the inventory', async () => {
    const document = '{ inventory { available pending } }';
    const petId = await store.addAvailable();
    await often(document);
    const { id } = await store.place(petId);
    expect(await told(document)).toBe('{"data":{"inventory":{"available":0,"pending":1}}}');
    await store.move(id, 'cancel');
    expect(await told(document)).toBe('{"data":{"inventory":{"available":1,"pending":0}}}');
  });
});
