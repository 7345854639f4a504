import { QueryBus } from '@nestjs/cqrs';
import fc from 'fast-check';
import { Database, identifier, sql } from '#libs/database';
import { composeModules } from '#libs/http';
import { EventStore, projectionTableName } from '#libs/event-sourcing';
import { openTestedModule, SettableClock, type TestedModule } from '#libs/testing';
import { PET_STATUSES, type PetStatus } from '../domain/pet.js';
import type { PetEvent } from '../domain/pet.events.js';
import { pets } from '../index.js';
import { PetsModule } from '../pets.module.js';
import { CountPets } from '../queries/count-pets.query.js';
import { CATEGORY_COUNTS, STATUS_COUNTS } from '../read-model/pet-counts.js';
import { PETS, petsProjection } from '../read-model/pets.projection.js';

const CATEGORIES = [1n, 2n, 9_223_372_036_854_775_807n];
const status = fc.constantFrom<PetStatus>(...PET_STATUSES);
const category = fc.constantFrom(...CATEGORIES).map(String);

/** What may happen to an animal, in any order: the projection has to count whatever the log holds. */
const history = fc.tuple(
  fc.record({ name: fc.constant('a'), categoryId: category, status }, { requiredKeys: ['name', 'categoryId'] }),
  fc.array(
    fc.oneof<fc.Arbitrary<PetEvent>[]>(
      status.map((to) => ({ type: 'pet-status-set', data: { status: to } })),
      category.map((to) => ({ type: 'pet-corrected', data: { categoryId: to } })),
      fc.constant({ type: 'pet-withdrawn', data: { reason: 'gone' } }),
    ),
    { maxLength: 6 },
  ),
);

describe('the counts of animals', () => {
  let tested: TestedModule;
  let application: TestedModule['application'];

  beforeEach(async () => {
    tested = await openTestedModule([PetsModule], new SettableClock(), composeModules([pets]));
    application = tested.application;
  });
  afterEach(() => tested.close());

  it('are those of the rows under every filter, whatever happens in which batches', async () => {
    const store = application.get(EventStore);
    const queries = application.get(QueryBus);
    const { reader } = application.get(Database);
    const rows = () =>
      reader.query<{ status: PetStatus | null; category_id: bigint }>(
        sql`SELECT status, category_id FROM ${identifier(projectionTableName(petsProjection, PETS))}`,
      );
    await fc.assert(
      fc.asyncProperty(fc.array(history, { minLength: 1, maxLength: 4 }), fc.boolean(), async (histories, together) => {
        for (const [added, changes] of histories) {
          const events: PetEvent[] = [{ type: 'pet-added', data: added }, ...changes];
          const metadata = { actor: 'cli' };
          const first = together ? events : events.slice(0, 1);
          const { events: recorded } = await store.append([{ stream: { newIn: 'pet' }, expectedVersion: 'noStream', events: first }], {
            metadata,
          });
          for (const event of together ? [] : changes) {
            await store.append([{ stream: recorded[0]?.stream ?? '', expectedVersion: 'any', events: [event] }], { metadata });
          }
        }
        const all = await rows();
        for (const categoryId of [undefined, ...CATEGORIES]) {
          for (const wanted of [undefined, ...PET_STATUSES]) {
            const counted = await queries.execute(
              new CountPets({ ...(wanted && { status: wanted }), ...(categoryId !== undefined && { categoryId }) }),
            );
            const found = all.filter(
              (row) => (wanted === undefined || row.status === wanted) && (categoryId === undefined || row.category_id === categoryId),
            );
            expect(counted).toBe(found.length);
          }
        }
        expect(
          await reader.query(sql`SELECT * FROM ${identifier(projectionTableName(petsProjection, STATUS_COUNTS))} WHERE "count" < 1`),
        ).toEqual([]);
        expect(
          await reader.query(sql`SELECT * FROM ${identifier(projectionTableName(petsProjection, CATEGORY_COUNTS))} WHERE "count" < 1`),
        ).toEqual([]);
      }),
      { numRuns: 15 },
    );
  });
});
