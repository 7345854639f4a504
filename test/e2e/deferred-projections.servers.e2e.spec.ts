import pg from 'pg';
import { ProjectionRebuilder, ProjectionVerification } from '#libs/event-sourcing';
import { until } from '#libs/testing';
import { RetentionSchedule } from '../../src/operations/index.js';
import { createBackend, type TestBackend } from '../databases/test-backend.fixture.js';
import { startService, UNLIMITED, type Service } from './service.fixture.js';

const PETS = '/v1/pets';
/** Answered from the deferred read model `pet-search`, which the request brings up to date. */
const SEARCH = `${PETS}?name=rex&limit=100`;
const ROUNDS = 30;

describe('a deferred read model on PostgreSQL', () => {
  let backend: TestBackend;
  let first: Service;
  let second: Service;
  let token: string;
  beforeEach(async () => {
    backend = await createBackend();
    const start = () => startService({ environment: backend.environment, polls: false });
    [first, second] = await Promise.all([start(), start()]);
    // Begun at the start: it locks the rows that these tests are about, too.
    await Promise.all([first, second].map(({ app }) => app.get(RetentionSchedule, { strict: false }).run()));
    ({ token } = await first.issueKey(UNLIMITED));
  });
  afterEach(async () => {
    await Promise.all([first.close(), second.close()]);
    await backend.remove();
  });

  const add = async ({ client }: Service) =>
    (await client.post(PETS, { name: 'Rex', categoryId: 7, status: 'available' }, { key: token })).status;
  const search = async ({ client }: Service) => (await client.get(SEARCH, { key: token })).json<{ id: number }[]>().length;

  it('lets animals be added while it is brought up to date, however long that takes', async () => {
    expect(await add(first)).toBe(201);
    const observer = new pg.Client({ connectionString: backend.environment['DATABASE_URL'] });
    await observer.connect();
    try {
      await observer.query(`BEGIN; SELECT 1 FROM "projection_checkpoints" WHERE "name" = 'pet-search' FOR UPDATE`);
      const searched = search(first);
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      await until(async () => (await observer.query(waiting)).rowCount === 1);
      expect(await Promise.all([add(first), add(second), add(first)])).toEqual([201, 201, 201]);
      await observer.query('COMMIT');
      expect(await searched).toBeGreaterThanOrEqual(1);
    } finally {
      await observer.end();
    }
    expect(await search(second)).toBe(4);
  });

  it('is brought up to date by two instances at once while builds are begun and ended, and counts every animal once', async () => {
    const rebuilder = second.app.get(ProjectionRebuilder);
    await rebuilder.end();
    const adding = { isDone: false };
    const building = (async () => {
      while (!adding.isDone) await expect(rebuilder.rebuild('pet-search')).rejects.toThrow('The service ends before pet-search is built.');
    })();
    try {
      for (let round = 1; round <= ROUNDS; round += 1) {
        expect(await Promise.all([add(first), add(second)])).toEqual([201, 201]);
        expect(await Promise.all([search(first), search(second)])).toEqual([2 * round, 2 * round]);
      }
    } finally {
      adding.isDone = true;
    }
    await building;
    expect(await first.app.get(ProjectionVerification).verify()).toEqual([]);
  });
});
