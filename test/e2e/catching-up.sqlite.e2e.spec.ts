import { EventStore } from '#libs/event-sourcing';
import { jest } from '@jest/globals';
import { EventStreamClient } from './event-stream.fixture.js';
import { startService, UNLIMITED, type Service } from './service.fixture.js';

const EVENTS = 1_000;
/** Their filters differ, so that no page is read once for several of them. */
const OTHER_TYPES = ['pet.corrected', 'pet.withdrawn', 'order.approved', 'order.delivered'];

describe('streams from the beginning of a log', () => {
  let service: Service;
  let key: string;
  let perTurn: number[];
  let reads: number;
  let isCounting: boolean;
  beforeEach(async () => {
    service = await startService({ polls: false });
    key = (await service.issueKey({ ...UNLIMITED, scopes: ['events'] })).token;
    const { id } = (await service.client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).json<{ id: number }>();
    const store = service.app.get(EventStore);
    const events = Array.from({ length: EVENTS }, (_, index) => ({
      type: 'pet-status-set',
      data: { status: index % 2 === 0 ? 'pending' : 'available' },
    }));
    await store.append([{ stream: `pet-${id}`, expectedVersion: 'any', events }], { metadata: { actor: 'system' } });
    [perTurn, reads, isCounting] = [[], 0, true];
    const countTurn = (): void => {
      perTurn.push(reads);
      reads = 0;
      if (isCounting) setImmediate(countTurn);
    };
    countTurn();
    const { readAll, readParts } = store;
    jest.spyOn(store, 'readAll').mockImplementation((options) => {
      reads += 1;
      return readAll.call(store, options);
    });
    jest.spyOn(store, 'readParts').mockImplementation(async (parts) => {
      const found = await readParts.call(store, parts);
      expect(found.length).toBeLessThanOrEqual(600);
      return found;
    });
  });
  afterEach(async () => {
    isCounting = false;
    await service.close();
  });

  it('are given one page in a turn of the event loop, however many they are', async () => {
    const streams = await Promise.all(
      OTHER_TYPES.map((type) => EventStreamClient.open(service.origin, { key, query: `?after=earliest&type=pet.status_changed,${type}` })),
    );
    for (const stream of streams) expect(await stream.events(EVENTS)).toHaveLength(EVENTS);
    isCounting = false;
    expect(perTurn.reduce((total, count) => total + count)).toBeGreaterThanOrEqual(40);
    // Two where the turn of a reader comes before the count of one turn and behind that of the next.
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(2);
    for (const stream of streams) stream.close();
  });
});
