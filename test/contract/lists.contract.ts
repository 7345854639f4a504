import fc from 'fast-check';
import { listTables, raw } from '#libs/database';
import {
  column,
  EventList,
  type EventDefinitions,
  filter,
  ListReader,
  MARK_NEW_HISTORY,
  streamProjection,
  type EventFilter,
  type RecordedEvent,
} from '#libs/event-sourcing';
import { counted } from './counting.fixture.js';
import { openStore, type ContractDatabase, type StoreUnderTest } from './store-under-test.js';

const definitions = { counted: { schemaVersion: 1, data: { by: 'number' }, published: false } } as const satisfies EventDefinitions;

/** What each counter was counted by last, in words. */
const countersProjection = streamProjection({
  name: 'counters',
  version: 1,
  deferred: true,
  events: definitions,
  columns: { by: column.int64(), words: column.folded(), countedAt: column.time() },
  indexes: [
    ['by', 'id'],
    ['countedAt', 'id'],
  ],
  searched: ['words'],
  evolve: (_row, { data: { by }, recordedAt }) => ({ by: BigInt(by), words: `Counted By ${by} — ÉTÉ "ß" 100%`, countedAt: recordedAt }),
});

const counterFilters = {
  byIn: filter.ids('by', { description: 'Only these.' }),
  wordsContain: filter.contains('words', { description: 'Only these.' }),
  countedSince: filter.since('countedAt', { description: 'Only these.' }),
};

const HOUR = 3_600_000;

/** Lists of rows by filters, and of the log. */
export function describeListsContract(databases: ContractDatabase): void {
  describe('lists', () => {
    let place: Awaited<ReturnType<ContractDatabase['create']>>;
    let opened: StoreUnderTest[];
    const open = async (projection = countersProjection) => {
      const another = await openStore(place.location, projection);
      opened.push(another);
      return another;
    };
    const append = ({ store }: StoreUnderTest, by: readonly number[], metadata: object = {}) =>
      store.append(
        by.map((amount) => ({ stream: { newIn: 'counter' }, expectedVersion: 'noStream' as const, events: [counted(amount)] })),
        { metadata: { actor: 'system', ...metadata } },
      );
    const readerOf = ({ database, readModels }: StoreUnderTest) => new ListReader(countersProjection, counterFilters, database, readModels);
    const numbers = (rows: readonly { readonly id: bigint }[]) => rows.map(({ id }) => Number(id));

    beforeEach(async () => {
      place = await databases.create();
      opened = [];
    });
    afterEach(async () => {
      for (const each of opened) await each.close();
      await place.remove();
    });

    it('see what another process has appended, although no append updates a deferred projection', async () => {
      const [writing, reading] = [await open(), await open()];
      const reader = readerOf(reading);
      for (const count of [1, 2, 3]) {
        await append(writing, [count, count]);
        expect(numbers((await reader.list({ limit: 10, filters: { byIn: [BigInt(count)] } })).items)).toEqual([2 * count - 1, 2 * count]);
      }
      expect((await reading.statuses.all())[0]).toMatchObject({ upToDate: true, lag: 0n });
      await append(writing, [4]);
      expect((await reading.statuses.all())[0]).toMatchObject({ upToDate: true, lag: 1n });
      expect(await reading.verification.verify()).toEqual([]);
    });

    it('find rows by a part of a text in any case, also after changes and rebuilds', async () => {
      const opening = await open();
      const reader = readerOf(opening);
      const find = async (part: string) => numbers((await reader.list({ limit: 10, filters: { wordsContain: part } })).items);
      const expectFound = async () => {
        expect(await find('COUNTED by 12')).toEqual([1, 3]);
        expect(await find('été "ß"')).toEqual([1, 2, 3]);
        expect(await find('0%')).toEqual([1, 2, 3]);
        expect(await find('1_3')).toEqual([]);
        expect(await find('by 7 ')).toEqual([2]);
      };
      await append(opening, [12, 5, 123]);
      expect(await find('by 5 ')).toEqual([2]);
      await opening.store.append([{ stream: 'counter-2', expectedVersion: 'any', events: [counted(7)] }], {
        metadata: { actor: 'system' },
      });
      await expectFound();
      const tables = async () =>
        (await listTables(opening.database.reader)).map(({ name }) => name).filter((name) => name.startsWith('counters'));
      const before = await tables();
      for (let count = 0; count < 3; count += 1) await opening.rebuilder.rebuild('counters');
      await expectFound();
      expect(await tables()).toEqual(before);
      expect(await opening.verification.verify()).toEqual([]);
    });

    it('are not built by the start where that takes long, and refused with 503 until they are', async () => {
      const before = await open();
      await append(
        before,
        Array.from({ length: 1_100 }, (_, index) => index),
      );
      const next = { ...countersProjection, version: 2 };
      const after = await open(next);
      const reader = new ListReader(next, counterFilters, after.database, after.readModels);
      expect((await after.statuses.all())[0]).toMatchObject({ version: 2, generation: 0, upToDate: false });
      await expect(reader.list({ limit: 1, filters: {} })).rejects.toMatchObject({
        code: 'service_unavailable',
        headers: { 'retry-after': '1' },
      });
      await after.rebuilder.prepare(next);
      expect(await reader.total({ filters: { byIn: [1_099n] } })).toBe(1);
      expect(await readerOf(before).total({ filters: { byIn: [1_099n] } })).toBe(1);
    });

    it('find the position of each moment in the log, also behind a gap between two histories', async () => {
      const opening = await open();
      const events: RecordedEvent[] = [];
      await fc.assert(
        fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 5 }), fc.boolean(), async (hours, isNew) => {
          if (isNew) await opening.database.write((transaction) => transaction.query(raw(MARK_NEW_HISTORY)));
          for (const count of hours) {
            opening.clock.advance(count * HOUR);
            events.push(...(await append(opening, [1])).events);
          }
          for (const moment of events.flatMap(({ recordedAt }) => [recordedAt, new Date(recordedAt.getTime() - 1)])) {
            const position = await opening.store.positionAt(moment);
            expect(events.filter((event) => event.position <= position)).toEqual(events.filter(({ recordedAt }) => recordedAt <= moment));
          }
        }),
        { numRuns: 10 },
      );
    });

    it('of the log have all events that match, in both directions, and their number', async () => {
      const opening = await open();
      const { database, registry, store } = opening;
      for (let count = 0; count < 6; count += 1) {
        opening.clock.advance(HOUR);
        await append(opening, [count, count], {
          actor: count % 2 === 0 ? 'api-key-1' : 'say "requestId":"r-1"',
          requestId: `r-${count % 3}`,
        });
        await store.append([{ stream: 'counter-1', expectedVersion: 'any', events: [counted(count)] }], { metadata: { actor: 'system' } });
      }
      const log = await store.readAll({ limit: 100 });
      const list = new EventList(database, registry, store);
      const time = fc.integer({ min: -1, max: 7 }).map((hours) => new Date(Date.UTC(2026, 0, 1, hours)));
      const position = fc.bigInt({ min: 0n, max: 20n });
      const filters: fc.Arbitrary<EventFilter> = fc.record(
        {
          streams: fc.uniqueArray(fc.constantFrom('counter-1', 'counter-2', 'counter-9', 'none'), { minLength: 1 }),
          types: fc.constantFrom(['counted'], ['noted'], ['noted', 'counted']),
          since: time,
          before: time,
          positionFrom: position,
          positionTo: position,
          actor: fc.constantFrom('api-key-1', 'system', 'say "requestId":"r-1"'),
          requestId: fc.constantFrom('r-0', 'r-1'),
        },
        { requiredKeys: [] },
      );
      await fc.assert(
        fc.asyncProperty(filters, fc.boolean(), fc.integer({ min: 1, max: 7 }), async (given, descending, limit) => {
          const expected = log.filter((event) => matches(event, given));
          const found: RecordedEvent[] = [];
          for (let after: bigint | undefined; ;) {
            const page = await list.page({ limit, after, descending, filter: given });
            found.push(...page.items);
            if (page.next === undefined) break;
            after = page.next;
          }
          expect(found).toEqual(descending ? expected.toReversed() : expected);
          expect(await list.count(given)).toBe(expected.length);
        }),
        { numRuns: 60 },
      );
    });
  });
}

function matches({ stream, type, recordedAt, position, metadata }: RecordedEvent, filter: EventFilter): boolean {
  return (
    (filter.streams?.includes(stream) ?? true) &&
    (filter.types?.includes(type) ?? true) &&
    (filter.since === undefined || recordedAt >= filter.since) &&
    (filter.before === undefined || recordedAt < filter.before) &&
    (filter.positionFrom === undefined || position >= filter.positionFrom) &&
    (filter.positionTo === undefined || position <= filter.positionTo) &&
    (filter.actor === undefined || metadata.actor === filter.actor) &&
    (filter.requestId === undefined || metadata.requestId === filter.requestId)
  );
}
