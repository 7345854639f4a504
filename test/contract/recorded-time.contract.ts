import fc from 'fast-check';
import { insertRows, raw, type DatabaseLocation } from '#libs/database';
import type { RecordedEvent } from '#libs/event-sourcing';
import { counted } from './counting.fixture.js';
import { openStore, type ContractDatabase, type StoreUnderTest } from './store-under-test.js';

const metadata = { actor: 'system' };
const START = Date.parse('2026-03-01T00:00:00.000Z');
const HOUR = 3_600_000;

/** What an instance does next, and what its clock says then, in milliseconds from the newest event at first: before or after. */
interface Step {
  readonly instance: number;
  readonly clock: number;
  readonly stream: string;
  readonly events: number;
  /** Whether it waits for the step before it. */
  readonly waits: boolean;
}

const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.record({
    instance: fc.nat(1),
    clock: fc.oneof(fc.integer({ min: -5, max: 5 }), fc.integer({ min: -HOUR, max: HOUR })),
    stream: fc.constantFrom('counter-a', 'counter-b'),
    events: fc.integer({ min: 1, max: 3 }),
    waits: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

/** What the times of events promise, whatever the clocks of the machines do. */
export function describeRecordedTimeContract(databases: ContractDatabase): void {
  describe('the times of events', () => {
    let location: DatabaseLocation;
    let instances: StoreUnderTest[];

    beforeEach(async () => {
      ({ location } = await databases.create());
      instances = [await openStore(location), await openStore(location)];
    });

    const instance = (index: number) => instances[index] as StoreUnderTest;
    const append = (index: number, clock: number, stream = 'counter-a', events = 1) => {
      const { store, clock: own } = instance(index);
      own.set(new Date(START + clock));
      return store.append([{ stream, expectedVersion: 'any', events: Array.from({ length: events }, () => counted(1)) }], { metadata });
    };
    const log = () => instance(0).store.readAll({ limit: 100_000 });
    const times = async () => (await log()).map(({ recordedAt }) => recordedAt.getTime() - START);

    it('never go back along the log, so that any moment cuts off its beginning, and one that is over does so for ever', async () => {
      const cuts = new Map<number, number>();
      await fc.assert(
        fc.asyncProperty(steps, async (drawn) => {
          const before = (await times()).at(-1) ?? 0;
          const running: Promise<unknown>[] = [];
          for (const { instance: index, clock, stream, events, waits } of drawn) {
            if (waits) await Promise.all(running.splice(0));
            running.push(append(index, before + clock, stream, events));
          }
          await Promise.all(running);
          const events = await log();
          const newest = timeOf(events.at(-1));
          for (const moment of new Set(events.flatMap((event) => [timeOf(event) - 1, timeOf(event), timeOf(event) + 1]))) {
            const past = events.filter((event) => timeOf(event) <= moment);
            expect(past).toEqual(events.slice(0, past.length));
            if (moment >= newest) continue;
            expect(cuts.get(moment) ?? past.length).toBe(past.length);
            cuts.set(moment, past.length);
          }
        }),
        { numRuns: 25 },
      );
    });

    it('are those of the clock, and stay at the newest until the clock has passed it, in an instance that is new as well', async () => {
      for (const clock of [0, 7, 7, HOUR]) await append(0, clock);
      await append(1, 0);
      instances.push(await openStore(location));
      await append(2, HOUR - 1);
      await append(2, HOUR + 1);
      expect(await times()).toEqual([0, 7, 7, HOUR, HOUR, HOUR, HOUR + 1]);
    });

    it('follow what any other writer has put at the end of the log', async () => {
      await append(0, 0);
      await instance(0).database.write((transaction) => {
        insertRows(transaction, {
          table: raw('"events"'),
          columns: ['position', 'stream_id', 'stream_version', 'event_id', 'type', 'schema_version', 'data', 'metadata', 'recorded_at'],
          rows: [[2, 'counter-b', 1, 'id', 'unheard-of', 1, '{}', '{}', START + HOUR]],
        });
        transaction.execute(raw(`UPDATE "sequences" SET "last_value" = 2 WHERE "name" = 'position'`));
      });
      await append(0, 1);
      expect(await times()).toEqual([0, HOUR, HOUR]);
    });

    it('leave the age of an idempotency key to the clock', async () => {
      await append(0, HOUR);
      instance(0).clock.set(new Date(START));
      await instance(0).store.execute(() => [{ stream: 'counter-a', expectedVersion: 'any', events: [counted(1)] }], {
        metadata,
        idempotency: { scope: 'api-key-1', key: 'key', fingerprint: 'same' },
      });
      const [row] = await instance(0).database.reader.query<{ created_at: bigint | string }>(
        raw('SELECT "created_at" FROM "idempotency_keys"'),
      );
      expect(Number(row?.created_at)).toBe(START);
    });
  });
}

function timeOf(event: RecordedEvent | undefined): number {
  return event?.recordedAt.getTime() ?? 0;
}
