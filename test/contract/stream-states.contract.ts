import fc from 'fast-check';
import { type DatabaseLocation } from '#libs/database';
import { foldEvents, type DomainEvent, type Evolution } from '#libs/event-sourcing';
import { tamperWith } from '../databases/test-database.fixture.js';
import type { ContractDatabases } from './contract-databases.fixture.js';
import { appendAtEnd } from './counting.fixture.js';
import { openStore, type StoreUnderTest } from './store-under-test.js';

const STREAM = 'counter-a';
const metadata = { actor: 'system' };

/** Of a type that no projection takes, since these are many. */
type Noted = DomainEvent<'noted', { readonly text: string }>;

/** What comes of an interleaving with states on both sides of the bounds from which they are kept and stored. */
const steps = fc.array(
  fc.record({
    kind: fc.constantFrom('append', 'append', 'read', 'read', 'rewind', 'rewind then append'),
    by: fc.constantFrom<(0 | 1)[]>(0, 1),
    count: fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 900, max: 1_100 })),
  }),
  { minLength: 4, maxLength: 12 },
);

/** That the state of a stream is what its events say, whoever appends them and whatever became of them, and what reading it costs. */
export function describeStreamStatesContract(databases: ContractDatabases): void {
  describe('the state of a stream', () => {
    let location: DatabaseLocation;
    let url: string;
    let folded: number;

    /** Depends on the order of events too. */
    const evolution: Evolution<{ readonly sum: number }, Noted> = {
      initialState: Object.freeze({ sum: 0 }),
      evolve: ({ sum }, { data }) => {
        folded += 1;
        return Object.freeze({ sum: (sum * 31 + Number(data.text)) % 1_000_003 });
      },
    };
    const open = () => openStore(location);
    const append = ({ store }: StoreUnderTest, count: number) => {
      const events = Array.from({ length: count }, (_, index): Noted => ({ type: 'noted', data: { text: `${count + index}` } }));
      return appendAtEnd(store, STREAM, events, metadata);
    };
    const read = ({ store }: StoreUnderTest) => store.readState(evolution, STREAM);
    const foldedBy = async (reading: () => Promise<unknown>) => {
      folded = 0;
      await reading();
      return folded;
    };
    const expectRight = async (each: StoreUnderTest) => {
      const events = await each.store.readAll({ streams: [STREAM] });
      expect(await read(each)).toMatchObject({ state: foldEvents(evolution, events), version: events.length });
    };
    /** Puts the log back by so many events, as a restore to a moment before does: their positions are given out again. */
    const rewind = async ({ store }: StoreUnderTest, count: number) => {
      const end = (await store.lastPosition()) - BigInt(count);
      await tamperWith(
        url,
        `DELETE FROM "events" WHERE "position" > ${end}; UPDATE "sequences" SET "last_value" = ${end < 0n ? 0n : end} WHERE "name" = 'position'`,
      );
    };
    beforeEach(async () => {
      ({ location, url } = await databases.create());
    });

    it('is read at the cost of the events since it was kept, also after some of its events', async () => {
      const [one, other] = [await open(), await open()];
      expect(await read(one)).toMatchObject({ state: { sum: 0 }, version: 0 });
      await append(one, 5_000);
      expect(await foldedBy(() => read(one))).toBe(5_000);
      expect(await foldedBy(() => read(one))).toBe(0);
      await append(other, 200);
      expect(await foldedBy(() => Promise.all([read(one), read(one), read(one)]))).toBe(200);
      await expectRight(one);
      const events = await one.store.readAll({ streams: [STREAM] });
      for (const [version, cost] of [
        [2_999, 2_999],
        [3_050, 51],
        [3_030, 31],
        [2_999, 0],
      ] as const) {
        const readPast = () => one.store.readState(evolution, STREAM, version);
        expect(await foldedBy(readPast)).toBe(cost);
        expect(await readPast()).toMatchObject({ state: foldEvents(evolution, events.slice(0, version)), version });
      }
      expect(await foldedBy(() => read(one))).toBe(0);
    });

    it('is what all its events say, however two processes take turns and the log is put back', async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (taken) => {
          ({ location, url } = await databases.create());
          const both = [await open(), await open()] as const;
          for (const { kind, by, count } of taken) {
            if (kind === 'append') await append(both[by], count);
            else if (kind.startsWith('rewind')) await rewind(both[by], count);
            if (kind === 'rewind then append') await append(both[by], count);
            await expectRight(both[by]);
          }
          for (const each of both) await expectRight(each);
        }),
        { numRuns: 4 },
      );
    });
  });
}
