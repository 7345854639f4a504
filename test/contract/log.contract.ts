import fc from 'fast-check';
import { insertRows, raw, type DatabaseLocation } from '#libs/database';
import { MARK_NEW_HISTORY, type EventFilter, type RecordedEvent } from '#libs/event-sourcing';
import type { ContractDatabases } from './contract-databases.fixture.js';
import { appendAtEnd, counted } from './counting.fixture.js';
import { openStore, type StoreUnderTest } from './store-under-test.js';

const START = Date.parse('2026-03-01T00:00:00.000Z');
const HOUR = 3_600_000;

/** What the clocks of two instances say next, in milliseconds from the newest event at first, before or after. */
const steps = fc.array(
  fc.record({
    instance: fc.nat(1),
    clock: fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -HOUR, max: HOUR })),
    stream: fc.constantFrom('counter-a', 'counter-b'),
    events: fc.integer({ min: 1, max: 3 }),
    waitsForStepBefore: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

/** What the times of events promise, whatever the clocks of the machines do, and the filters of the log. */
export function describeLogContract(databases: ContractDatabases): void {
  describe('the log', () => {
    let location: DatabaseLocation;
    let instances: StoreUnderTest[];

    beforeEach(async () => {
      ({ location } = await databases.create());
      instances = [await openStore(location), await openStore(location)];
    });

    const instance = (index: number) => instances[index] as StoreUnderTest;
    const append = (index: number, clock: number, stream = 'counter-a', events = 1, metadata: object = {}) => {
      const { store, clock: own } = instance(index);
      own.set(new Date(START + clock));
      const counts = Array.from({ length: events }, () => counted(1));
      return appendAtEnd(store, stream, counts, { actor: 'system', ...metadata });
    };
    const log = () => instance(0).store.readAll({ limit: 100_000 });
    const times = async () => (await log()).map(({ recordedAt }) => recordedAt.getTime() - START);

    it('never goes back in time: any moment cuts off its beginning, at a position that is found, and for ever once it is over', async () => {
      const cuts = new Map<number, number>();
      await fc.assert(
        fc.asyncProperty(steps, fc.boolean(), async (drawn, isNewHistory) => {
          const { database, store } = instance(0);
          if (isNewHistory) await database.transaction((transaction) => transaction.query(raw(MARK_NEW_HISTORY)));
          const before = (await times()).at(-1) ?? 0;
          const running: Promise<unknown>[] = [];
          for (const { instance: index, clock, stream, events, waitsForStepBefore } of drawn) {
            if (waitsForStepBefore) await Promise.all(running.splice(0));
            running.push(append(index, before + clock, stream, events));
          }
          await Promise.all(running);
          const events = await log();
          const newest = timeOf(events.at(-1));
          const recent = timeOf(events.at(-10));
          for (const moment of new Set(events.flatMap((event) => [timeOf(event) - 1, timeOf(event), timeOf(event) + 1]))) {
            const past = events.filter((event) => timeOf(event) <= moment);
            expect(past).toEqual(events.slice(0, past.length));
            if (moment >= recent) {
              const position = await store.positionAt(new Date(moment));
              expect(events.filter((event) => event.position <= position)).toHaveLength(past.length);
            }
            if (moment >= newest) continue;
            expect(cuts.get(moment) ?? past.length).toBe(past.length);
            cuts.set(moment, past.length);
          }
        }),
        { numRuns: 20 },
      );
    });

    it('has the times of the clock, and stays at the newest until the clock has passed it, whoever wrote that', async () => {
      for (const clock of [0, 7, 7, HOUR]) await append(0, clock);
      await append(1, 0);
      instances.push(await openStore(location));
      await append(2, HOUR - 1);
      await append(2, HOUR + 1);
      expect(await times()).toEqual([0, 7, 7, HOUR, HOUR, HOUR, HOUR + 1]);
      await instance(0).database.transaction((transaction) => {
        insertRows(transaction, {
          table: raw('"events"'),
          columns: ['position', 'stream_id', 'stream_version', 'event_id', 'type', 'schema_version', 'data', 'metadata', 'recorded_at'],
          rows: [[8, 'counter-b', 1, 'id', 'unheard-of', 1, '{}', '{}', START + 2 * HOUR]],
        });
        transaction.execute(raw(`UPDATE "sequences" SET "last_value" = 8 WHERE "name" = 'position'`));
      });
      await append(0, HOUR + 2);
      expect((await times()).slice(-2)).toEqual([2 * HOUR, 2 * HOUR]);
    });

    it('gives all events that match, in both directions, and their number', async () => {
      for (let count = 0; count < 6; count += 1) {
        const metadata = { actor: count % 2 === 0 ? 'api-key-1' : 'say "requestId":"r-1"', requestId: `r-${count % 3}` };
        await append(0, count * HOUR, `counter-${count % 3}`, 2, metadata);
        await append(1, count * HOUR);
      }
      const { store: list } = instance(0);
      const whole = await log();
      const time = fc.integer({ min: -1, max: 7 }).map((hours) => new Date(START + hours * HOUR));
      const position = fc.bigInt({ min: 0n, max: 20n });
      const filters: fc.Arbitrary<EventFilter> = fc.record(
        {
          streams: fc.uniqueArray(fc.constantFrom('counter-1', 'counter-2', 'counter-a', 'none'), { minLength: 1 }),
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
          const expected = whole.filter((event) => matches(event, given));
          const found: RecordedEvent[] = [];
          for (let after: bigint | undefined; ;) {
            const page = await list.page({ limit, after, descending, filter: given });
            found.push(...page.items);
            if (page.next === undefined) break;
            after = page.next;
          }
          expect(found).toEqual(descending ? expected.toReversed() : expected);
          expect(await list.total(given)).toBe(expected.length);
        }),
        { numRuns: 60 },
      );
    });
  });
}

function timeOf(event: RecordedEvent | undefined): number {
  return event?.recordedAt.getTime() ?? 0;
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
