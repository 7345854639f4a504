import { jest } from '@jest/globals';
import { EventStore } from '#libs/event-sourcing';
import { petDecider } from '../../src/pets/domain/pet.decider.js';
import { createDatabase } from '../databases/test-backend.fixture.js';
import type { TestDatabase } from '../databases/test-database.fixture.js';
import { startStore, type Store } from './store.fixture.js';

const EVENTS = 5_000;
/** How many events of a stream are read and folded at once. */
const PAGE_EVENTS = 1_000;

describe('a stream of 5,000 events', () => {
  let database: TestDatabase;
  let environment: { readonly DATABASE_URL: string };
  let store: Store;
  let [short, long]: number[] = [];
  beforeAll(async () => {
    database = await createDatabase();
    environment = { DATABASE_URL: database.url };
    store = await startStore({ environment });
    [short, long] = await store.addSeveral(2);
    await store.change(short ?? 0, { status: 'sold' });
    // Reserved and released again and again, and then sold by hand.
    const versions = Array.from({ length: EVENTS - 1 }, (_, index) => index + 2);
    const events = versions.map((version) =>
      version === EVENTS
        ? { type: 'pet-status-set', data: { status: 'sold' } }
        : { type: 'pet-status-set', data: { status: version % 2 === 0 ? 'pending' : 'available', orderId: String(1_000_000 + version) } },
    );
    for (let first = 0; first < events.length; first += PAGE_EVENTS) {
      const append = { stream: `pet-${long}`, expectedVersion: first + 1, events: events.slice(first, first + PAGE_EVENTS) };
      await store.app.get(EventStore).append([append], { metadata: { actor: 'system' } });
    }
  });
  afterAll(async () => {
    await store.close();
    await database.remove();
  });

  /** How many events of animals are folded meanwhile, once the read models have taken in all there are. */
  const foldedBy = async (doing: () => Promise<unknown>): Promise<number> => {
    expect((await store.client.get('/v1/pets?name=none')).status).toBe(200);
    const folding = jest.spyOn(petDecider, 'evolve');
    await doing();
    const { length } = folding.mock.calls;
    folding.mockRestore();
    return length;
  };
  /** Asks for an order of an animal that was sold. */
  const refuse = async (petId = 0) => expect((await store.order({ petId })).json()).toMatchObject({ code: 'pet_not_available' });
  const changeNothing = async (petId = 0) => expect((await store.change(petId, {})).status).toBe(200);

  it.each([
    ['an order that is refused', refuse],
    ['a change of nothing', changeNothing],
  ])('costs %s no more than a short one', async (_what, send) => {
    await send(long);
    const usual = await foldedBy(() => send(short));
    expect(usual).toBeGreaterThan(0);
    expect(await foldedBy(() => send(long))).toBeLessThanOrEqual(usual);
  });

  it('is told in pages, which cost what they give', async () => {
    const ask = async (argument: string) => {
      const { errors, data } = await store.ask<{ pet: { history: readonly { version: number }[] } }>(
        `{ pet(id: ${long}) { history${argument} { version } } }`,
      );
      expect(errors).toBeUndefined();
      return data?.pet.history.map(({ version }) => version);
    };
    const through = (first: number, step: number) => Array.from({ length: 10 }, (_, index) => first + index * step);
    expect(await ask('')).toEqual(through(1, 1));
    expect(await ask('(first: 10, after: 4000)')).toEqual(through(4_001, 1));
    expect(await ask('(order: NEWEST_FIRST)')).toEqual(through(EVENTS, -1));
    expect(await ask(`(first: 10, after: ${EVENTS - 9}, order: NEWEST_FIRST)`)).toEqual(through(EVENTS - 10, -1));
  });

  it('costs the first command of a further process the folding of one page', async () => {
    // Comes after the state of the stream was stored.
    await store.addAvailable();
    await store.close();
    store = await startStore({ environment });
    expect(await foldedBy(() => refuse(long))).toBeLessThanOrEqual(PAGE_EVENTS);
  });

  it('and any other takes ten changes at once, one after another', async () => {
    const id = await store.addAvailable();
    const names = Array.from({ length: 10 }, (_, index) => `Rex ${index}`);
    const events = await store.recordedBy(async () => {
      const answers = await Promise.all(names.map((name) => store.change(id, { name })));
      expect(answers.map(({ status }) => status)).toEqual(names.map(() => 200));
      expect(answers.map((answer) => answer.json<{ name: string }>().name)).toEqual(names);
    });
    expect(events.map(({ data }) => (data as { name: string }).name).sort()).toEqual(names);
  });
});
