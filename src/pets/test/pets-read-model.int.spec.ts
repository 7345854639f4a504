import { QueryBus } from '@nestjs/cqrs';
import fc from 'fast-check';
import { Database, identifier, sql } from '#libs/database';
import { composeModules } from '#libs/http';
import { EventStore, foldEvents, groupByStream, projectionTableName, type Count, type RecordedEvent } from '#libs/event-sourcing';
import { openTestedModule, SettableClock, type TestedModule } from '#libs/testing';
import { petDecider } from '../domain/pet.decider.js';
import { PET_STATUSES, type PetStatus } from '../domain/pet.js';
import type { PetEvent } from '../domain/pet.events.js';
import { pets } from '../index.js';
import { PetsModule } from '../pets.module.js';
import { CountPets, ListPetCounts } from '../queries/pets.query.js';
import { petsProjection } from '../read-model/pets.projection.js';

const HOUR = 3_600_000;
const CATEGORIES = [1n, 2n, 9_223_372_036_854_775_807n];
const status = fc.constantFrom<PetStatus>(...PET_STATUSES);
const category = fc.constantFrom(...CATEGORIES).map(String);

/** What may happen to an animal, in any order: the projection has to count whatever the log holds. */
const history = fc.tuple(
  fc.record({ name: fc.constant('a'), categoryId: category, status }, { requiredKeys: ['name', 'categoryId'] }),
  fc.array(
    fc.oneof<fc.Arbitrary<PetEvent>[]>(
      status.map((to) => ({ type: 'pet-status-set', data: { status: to } })),
      fc
        .record({ name: fc.constantFrom('b', 'c'), categoryId: category }, { requiredKeys: [] })
        .map((data) => ({ type: 'pet-corrected', data })),
      fc.constant({ type: 'pet-withdrawn', data: { reason: 'gone' } }),
    ),
    { maxLength: 6 },
  ),
);

interface Row {
  readonly name: string;
  readonly category_id: bigint;
  readonly status: PetStatus | null;
}

describe('the read model of animals', () => {
  let clock: SettableClock;
  let tested: TestedModule;
  beforeEach(async () => {
    clock = new SettableClock();
    tested = await openTestedModule([PetsModule], clock, composeModules([pets]));
  });
  afterEach(() => tested.close());

  it('has rows and counts that are what the log makes of each, and equal under every filter, whatever happens in which batches', async () => {
    const store = tested.application.get(EventStore);
    const queries = tested.application.get(QueryBus);
    const { reader } = tested.application.get(Database);
    const rows = () =>
      reader.query<Row>(
        sql`SELECT name, category_id, status FROM ${identifier(projectionTableName(petsProjection, petsProjection.table.name))}
            WHERE is_withdrawn = 0 ORDER BY id`,
      );
    const expected: Row[] = [];
    await fc.assert(
      fc.asyncProperty(fc.array(history, { minLength: 1, maxLength: 4 }), fc.boolean(), async (histories, together) => {
        for (const [added, changes] of histories) {
          const events: PetEvent[] = [{ type: 'pet-added', data: added }, ...changes];
          if (!events.some(({ type }) => type === 'pet-withdrawn')) expected.push(rowOf(events));
          const metadata = { actor: 'cli' };
          const first = together ? events : events.slice(0, 1);
          const { events: recorded } = await store.append([{ stream: { newIn: 'pet' }, events: first }], {
            metadata,
          });
          for (const [index, event] of (together ? [] : changes).entries()) {
            await store.append([{ stream: recorded[0]?.stream ?? '', expectedVersion: 1 + index, events: [event] }], { metadata });
          }
        }
        const all = await rows();
        expect(all).toEqual(expected);
        for (const categoryId of [undefined, ...CATEGORIES]) {
          for (const wanted of [undefined, ...PET_STATUSES]) {
            const counted = await queries.execute(
              new CountPets({
                filters: { ...(wanted && { statusIn: [wanted] }), ...(categoryId !== undefined && { categoryIn: [categoryId] }) },
              }),
            );
            const found = all.filter(
              (row) => (wanted === undefined || row.status === wanted) && (categoryId === undefined || row.category_id === categoryId),
            );
            expect(counted).toBe(found.length);
          }
        }
        expect(
          await reader.query(
            sql`SELECT * FROM ${identifier(projectionTableName(petsProjection, 'pet_category_counts'))} WHERE "count" < 1`,
          ),
        ).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });

  it('has numbers over time that are those of a fold of the log up to each moment, by status and by category, whatever happened when', async () => {
    const store = tested.application.get(EventStore);
    const queries = tested.application.get(QueryBus);
    const hours = fc.integer({ min: 0, max: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(history, hours), { minLength: 1, maxLength: 3 }), async (histories) => {
        for (const [[added, changes], pause] of histories) {
          clock.advance(pause * HOUR);
          const metadata = { actor: 'cli' };
          const events: PetEvent[] = [{ type: 'pet-added', data: added }];
          const { events: recorded } = await store.append([{ stream: { newIn: 'pet' }, events }], {
            metadata,
          });
          for (const [index, event] of changes.entries()) {
            clock.advance(pause * HOUR);
            await store.append([{ stream: recorded[0]?.stream ?? '', expectedVersion: 1 + index, events: [event] }], { metadata });
          }
        }
        const log = await store.readAll({ limit: 10_000 });
        const now = clock.now();
        for (const by of ['status', 'category'] as const) {
          const expectedAt = (moment: Date) =>
            numbersOf(log.filter(({ recordedAt }) => recordedAt <= moment) as RecordedEvent<PetEvent>[], by);
          const moments = log.slice(-6).flatMap(({ recordedAt }) => [recordedAt, new Date(recordedAt.getTime() - 1)]);
          for (const asOf of moments) expect(nonZero(await queries.execute(new ListPetCounts(by, { asOf })))).toEqual(expectedAt(asOf));
          expect(nonZero(await queries.execute(new ListPetCounts(by)))).toEqual(expectedAt(now));
          for (const every of ['day', 'week', 'month'] as const) {
            const counts = await queries.execute(new ListPetCounts(by, { every }));
            for (const date of new Set(counts.map((count) => count.date))) {
              const end = new Date(Math.min(now.getTime(), endOf(every, date ?? '').getTime() - 1));
              expect(nonZero(counts.filter((count) => count.date === date))).toEqual(expectedAt(end));
            }
          }
        }
      }),
      { numRuns: 8 },
    );
  });
});

function endOf(every: 'day' | 'week' | 'month', date: string): Date {
  const end = new Date(date);
  if (every === 'month') end.setUTCMonth(end.getUTCMonth() + 1);
  else end.setUTCDate(end.getUTCDate() + (every === 'week' ? 7 : 1));
  return end;
}

function nonZero(counts: readonly Count[]): Record<string, number> {
  return Object.fromEntries(counts.filter(({ count }) => count !== 0).map(({ value, count }) => [String(value), count]));
}

function numbersOf(events: readonly RecordedEvent<PetEvent>[], by: 'status' | 'category'): Record<string, number> {
  const numbers: Record<string, number> = {};
  for (const ofPet of groupByStream(events).values()) {
    const state = foldEvents(petDecider, ofPet);
    if (state.kind !== 'present') continue;
    const value = String(by === 'status' ? (state.details.status ?? null) : state.details.categoryId);
    numbers[value] = (numbers[value] ?? 0) + 1;
  }
  return numbers;
}

/** The state of an animal after each of its events. */
function rowOf(events: readonly PetEvent[]): Row {
  const {
    name,
    categoryId,
    status = null,
  } = Object.assign({}, ...events.map(({ data }) => data)) as {
    readonly name: string;
    readonly categoryId: string;
    readonly status?: PetStatus;
  };
  return { name, category_id: BigInt(categoryId), status };
}
