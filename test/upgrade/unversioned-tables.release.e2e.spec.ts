import { createDatabase } from '../databases/test-backend.fixture.js';
import { execute, type TestDatabase } from '../databases/test-database.fixture.js';
import { runHere } from '../e2e/command-line.fixture.js';
import { startService } from '../e2e/service.fixture.js';
import { fillAsBeforeVersions, TOKEN } from './unversioned-tables.fixture.js';

const REX = '{"id":1,"name":"Rex","categoryId":9223372036854775807,"status":"sold"}';

describe('a database whose projections stand in tables without a version', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createDatabase();
    await fillAsBeforeVersions(database.url);
  });
  afterEach(() => database.remove());

  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await runHere({ DATABASE_URL: database.url }, words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return JSON.parse(stdout) as unknown;
  };

  it('is served with its keys and animals, and goes on counting where it was', async () => {
    const service = await startService({ environment: { DATABASE_URL: database.url } });
    try {
      expect((await service.client.get('/v1/pets', { key: TOKEN })).text).toBe(`[${REX}]`);
      const added = await service.client.post('/v1/pets', { name: 'Max', categoryId: 1 }, { key: TOKEN });
      expect(added.text).toBe('{"id":3,"name":"Max","categoryId":1}');
      expect((await service.client.get('/v1/pets', { key: TOKEN })).text).toBe(`[${REX},${added.text}]`);
    } finally {
      await service.close();
    }
    expect(await run('events', 'verify')).toMatchObject({ problems: [] });
  });

  it('is brought up to date by the command, after which its tables equal a replay and the old ones are gone', async () => {
    await run('db', 'migrate');
    expect(await run('events', 'verify')).toEqual({ events: 5, streams: 3, problems: [] });
    expect(await run('projections', 'status')).toMatchObject([
      { name: 'api-keys', generation: 1, upToDate: true },
      { name: 'orders', generation: 1, position: 0, upToDate: true },
      { name: 'order-search', generation: 1, position: 0, upToDate: true },
      { name: 'pets', generation: 1, position: 5, upToDate: true },
      { name: 'pet-search', generation: 1, position: 5, upToDate: true },
      { name: 'webhooks', generation: 1, position: 0, upToDate: true },
    ]);
    for (const table of ['pets', 'pet_status_counts', 'pet_category_counts', 'api_keys', 'api_key_secrets']) {
      await expect(execute(database.url, `SELECT 1 FROM "${table}"`)).rejects.toMatchObject({
        message: expect.stringMatching(/no such table|does not exist/),
      });
    }
  });
});
