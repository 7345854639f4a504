import { jest } from '@jest/globals';
import { Database } from '#libs/database';
import { TimeoutSchedule } from '#libs/event-sourcing';
import { startStore, type Store } from './store.fixture.js';

const MANY = 100;
/** For the key and its limits, and for each of the two read models whether it is current: asked when that was a moment ago. */
const CHECKS = 4;

describe('a page of the query schema', () => {
  let store: Store;
  beforeAll(async () => {
    store = await startStore();
    for (const petId of await store.addSeveral(MANY)) {
      await store.move((await store.place(petId)).id, 'cancel');
      await store.place(petId);
    }
    // What looks for timeouts every second would be counted too.
    await store.app.get(TimeoutSchedule).beforeApplicationShutdown();
  });
  afterAll(() => store.close());

  it.each<[page: string, reads: number]>([
    ['pets(first: N) { totalCount nodes { id name history { type } } edges { node { history { data } } } }', 3],
    ['pets(first: N) { nodes { name orders { nodes { status } } } }', 2],
    ['orders(first: N) { nodes { id history { type } pet { name history { type } } } }', 4],
    ['pets(first: N) { nodes { orders(first: 2) { nodes { pet { name } history { type } } } } }', 4],
  ])('takes no more statements for a hundred nodes than for a few: %s', async (page, reads) => {
    const statements = jest.spyOn(store.app.get(Database).reader, 'query');
    const countFor = async (first: number) => {
      const before = statements.mock.calls.length;
      const { errors, answer } = await store.ask(`{ ${page.replace('N', String(first))} }`);
      expect(errors).toBeUndefined();
      expect(answer.text.match(/"(?:status|type)":/g)?.length).toBeGreaterThanOrEqual(first);
      return statements.mock.calls.length - before;
    };
    for (const least of [2, MANY - 3]) {
      const taken: number[] = [];
      for (let more = 0; more < 4; more += 1) taken.push(await countFor(least + more));
      expect(Math.min(...taken)).toBeGreaterThan(0);
      // Work beside the request adds to a count, and a slow page asks again whether the read models are current; one a node were a hundred.
      expect(Math.min(...taken)).toBeLessThanOrEqual(2 * (CHECKS + reads));
    }
    statements.mockRestore();
  });
});
