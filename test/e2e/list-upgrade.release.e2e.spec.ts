import { EventStore, projectionTableName } from '#libs/event-sourcing';
import { petSearchProjection } from '../../src/pets/read-model/pet-search.projection.js';
import { createDatabase } from '../databases/test-backend.fixture.js';
import { execute } from '../databases/test-database.fixture.js';
import { startService, type Service } from './service.fixture.js';

const ANIMALS = 25_000;
const APPENDED_AT_ONCE = 1_000;
const FILTERED = '/v1/pets?name=animal&categoryId=7&total=true&limit=1';
const [TABLE, COUNTS] = petSearchProjection.tables.map(({ name }) => projectionTableName(petSearchProjection, name));

describe('the first start of a build with filters on a long log of one without them', () => {
  let url: string;
  let remove: () => Promise<void>;
  let service: Service;
  beforeAll(async () => {
    ({ url, remove } = await createDatabase());
    const before = await startService({ environment: { DATABASE_URL: url }, polls: false });
    for (let added = 0; added < ANIMALS; added += APPENDED_AT_ONCE) await addAnimals(before, APPENDED_AT_ONCE);
    await before.close();
    await execute(url, `DROP TABLE "${TABLE}"; DROP TABLE "${COUNTS}"; DELETE FROM "projection_checkpoints" WHERE "name" = 'pet-search'`);
  }, 120_000);
  afterAll(() => remove());
  afterEach(() => service.close());

  it('answers what was there before at once, and filters as soon as their tables are built, with all that was added meanwhile', async () => {
    service = await startService({ environment: { DATABASE_URL: url } });
    expect((await service.client.get(`/v1/pets?limit=1`)).json()).toMatchObject([{ name: 'animal' }]);
    await addAnimals(service, 1);
    for (;;) {
      const answer = await service.client.get(FILTERED);
      if (answer.status === 200) {
        expect(answer.headers['x-total-count']).toBe(String(ANIMALS + 1));
        return;
      }
      expect(answer.json()).toMatchObject({ code: 'service_unavailable' });
      expect(answer.headers['retry-after']).toBe('1');
    }
  });
});

async function addAnimals({ app }: Service, count: number): Promise<void> {
  const animal = { type: 'pet-added', data: { name: 'animal', categoryId: '7' } };
  const appends = Array.from({ length: count }, () => ({
    stream: { newIn: 'pet' },
    expectedVersion: 'noStream' as const,
    events: [animal],
  }));
  await app.get(EventStore).append(appends, { metadata: { actor: 'system' } });
}
