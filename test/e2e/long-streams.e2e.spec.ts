import { jest } from '@jest/globals';
import { EventStore } from '#libs/event-sourcing';
import { petDecider } from '../../src/pets/domain/pet.decider.js';
import { createDatabase } from '../databases/test-backend.fixture.js';
import { startStore, type Store } from './store.fixture.js';

const EVENTS = 5_000;
/** How many events of a stream are read and folded at once. */
const PAGE_EVENTS = 1_000;
const APPENDED_AT_ONCE = 1_000;

let environment: { readonly DATABASE_URL: string };
let store: Store;
let [short, long]: number[] = [];
beforeAll(async () => {
  environment = { DATABASE_URL: (await createDatabase()).url };
  store = await startStore({ environment });
  [short, long] = await store.addSeveral(2);
  await store.change(short ?? 0, { status: 'sold' });
  await lengthen(long ?? 0, EVENTS);
});
afterAll(() => store.close());

/** Has an animal been reserved and released until its stream has so many events, and then sold by hand. */
async function lengthen(petId: number, events: number): Promise<void> {
  const log = store.app.get(EventStore);
  for (let version = 1; version < events; version += APPENDED_AT_ONCE) {
    const further = Array.from({ length: Math.min(APPENDED_AT_ONCE, events - version) }, (_, index) => {
      const count = version + index + 1;
      if (count === events) return { type: 'pet-status-set', data: { status: 'sold' } };
      return { type: 'pet-status-set', data: { status: count % 2 === 0 ? 'pending' : 'available', orderId: String(1_000_000 + count) } };
    });
    await log.append([{ stream: `pet-${petId}`, expectedVersion: version, events: further }], { metadata: { actor: 'system' } });
  }
}

/** How many events of animals are folded meanwhile, once the read models have taken in all there are. */
async function foldedBy(doing: () => Promise<unknown>): Promise<number> {
  expect((await store.client.get('/v1/pets?name=none')).status).toBe(200);
  const folding = jest.spyOn(petDecider, 'evolve');
  await doing();
  const { length } = folding.mock.calls;
  folding.mockRestore();
  return length;
}

/** Asks for an order of an animal that was sold. */
const refuse = async (petId = 0) => expect((await store.order({ petId })).json()).toMatchObject({ code: 'pet_not_available' });
const changeNothing = async (petId = 0) => expect((await store.change(petId, {})).status).toBe(200);

describe('a stream of 5,000 events', () => {
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
    const page = (alias: string, argument: string) => `${alias}: pet(id: ${long}) { history${argument} { version data } }`;
    const ask = async (argument: string) => {
      const { errors, data } = await store.ask<{ a: { history: readonly { version: number }[] } }>(`{ ${page('a', argument)} }`);
      expect(errors).toBeUndefined();
      return data?.a.history.map(({ version }) => version);
    };
    const through = (first: number, step: number) => Array.from({ length: 10 }, (_, index) => first + index * step);
    expect(await ask('')).toEqual(through(1, 1));
    expect(await ask('(first: 10, after: 4000)')).toEqual(through(4_001, 1));
    expect(await ask('(order: NEWEST_FIRST)')).toEqual(through(EVENTS, -1));
    expect(await ask(`(first: 10, after: ${EVENTS - 9}, order: NEWEST_FIRST)`)).toEqual(through(EVENTS - 10, -1));

    const ten = `{ ${Array.from({ length: 10 }, (_, index) => page(`a${index}`, '(first: 100)')).join(' ')} }`;
    const { errors, answer } = await store.ask(ten);
    expect(errors).toBeUndefined();
    expect(answer.text.match(/"version"/g)).toHaveLength(1_000);
  });

  it('costs the first command of a further process the folding of one page', async () => {
    // Comes after the state of the stream was stored.
    await store.addAvailable();
    await store.close();
    store = await startStore({ environment });
    expect(await foldedBy(() => refuse(long))).toBeLessThanOrEqual(PAGE_EVENTS);
  });
});

describe('ten changes of one animal at once', () => {
  it('all succeed, one after another', async () => {
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
