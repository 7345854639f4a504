import pg from 'pg';
import { ProjectionRebuilder, ProjectionVerification } from '#libs/event-sourcing';
import { until } from '#libs/testing';
import { createBackend, type TestBackend } from '../databases/test-backend.fixture.js';
import { startService, UNLIMITED, type Service } from './service.fixture.js';

const PETS = '/v1/pets';
/** Answered from the deferred read model `pet-search`, which the request brings up to date. */
const SEARCH = `${PETS}?name=rex&limit=100`;
const ROUNDS = 30;

describe('a deferred read model on PostgreSQL', () => {
  let backend: TestBackend;
  let services: readonly Service[];
  let token: string;
  beforeEach(async () => {
    backend = await createBackend();
    services = await Promise.all([1, 2].map(() => startService({ environment: backend.environment, polls: false })));
    ({ token } = await at(0).issueKey(UNLIMITED));
  });
  afterEach(async () => {
    await Promise.all(services.map((service) => service.close()));
    await backend.remove();
  });

  const at = (index: number): Service => {
    const service = services[index];
    if (!service) throw new Error('there is no such instance');
    return service;
  };
  const add = async (index: number) =>
    (await at(index).client.post(PETS, { name: 'Rex', categoryId: 7, status: 'available' }, { key: token })).status;
  const search = async (index: number) => (await at(index).client.get(SEARCH, { key: token })).json<{ id: number }[]>().length;

  it('lets animals be added while it is brought up to date, however long that takes', async () => {
    expect(await add(0)).toBe(201);
    const observer = new pg.Client({ connectionString: backend.environment['DATABASE_URL'] });
    await observer.connect();
    try {
      await observer.query(`BEGIN; SELECT 1 FROM "projection_checkpoints" WHERE "name" = 'pet-search' FOR UPDATE`);
      const searched = search(0);
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await until(async () => (await observer.query(waiting)).rowCount === 1);
      expect(await Promise.all([add(0), add(1), add(0)])).toEqual([201, 201, 201]);
      await observer.query('COMMIT');
      expect(await searched).toBeGreaterThanOrEqual(1);
    } finally {
      await observer.end();
    }
    expect(await search(1)).toBe(4);
  });

  const addAndSearch = async () => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      expect(await Promise.all([add(0), add(1)])).toEqual([201, 201]);
      expect(await Promise.all([search(0), search(1)])).toEqual([2 * round, 2 * round]);
    }
  };
  const problems = () => at(0).app.get(ProjectionVerification).verify();

  it('is brought up to date by two instances at once, and counts every animal once', async () => {
    await addAndSearch();
    expect(await problems()).toEqual([]);
  });

  it('is brought up to date while builds are begun and ended, and counts every animal once', async () => {
    const rebuilder = at(1).app.get(ProjectionRebuilder);
    await rebuilder.end();
    const adding = { isDone: false };
    const building = (async () => {
      while (!adding.isDone) await expect(rebuilder.rebuild('pet-search')).rejects.toThrow('The service ends before pet-search is built.');
    })();
    await addAndSearch().finally(() => (adding.isDone = true));
    await building;
    expect(await problems()).toEqual([]);
  });
});
