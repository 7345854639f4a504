import { openPostgresProxy } from '../databases/postgres-proxy.fixture.js';
import { createPostgresDatabase, type TestDatabase } from '../databases/test-database.fixture.js';
import { createWorkingDirectory, startBuiltService } from './built-service.fixture.js';
import { startWatchedService, watched } from './console.fixture.js';
import { startService } from './service.fixture.js';

describe('the console on PostgreSQL', () => {
  it('lists every instance on the database, as long as it runs', async () => {
    const service = await startWatchedService();
    const folder = await createWorkingDirectory();
    const other = await startBuiltService(folder.path, service.backend);
    try {
      const { instances } = await service.dataWhere((data) => data.instances?.length === 2);
      const here = instances?.find(({ here: isHere }) => isHere);
      expect(here).toMatchObject({ process: process.pid, version: '1.0.0' });
      expect(instances?.find((each) => each !== here)).toMatchObject({
        process: other.pid,
        version: '1.0.0',
        here: false,
        host: here?.['host'],
      });
      await other.stop('SIGTERM');
      await service.dataWhere((data) => data.instances?.length === 1);
    } finally {
      await other.stop('SIGKILL');
      await folder.remove();
      await service.close();
    }
  });

  describe('that does not answer', () => {
    let database: TestDatabase;
    beforeEach(async () => (database = await createPostgresDatabase()));
    afterEach(() => database.remove());

    it('says of what it holds that it is not known, and goes on telling of the rest', async () => {
      const proxy = await openPostgresProxy(database.url);
      const service = await watched(await startService({ environment: { DATABASE_URL: proxy.url } }));
      try {
        proxy.freeze();
        const frozen = await service.dataWhere(({ keys }) => keys === null);
        expect([frozen.log, frozen.projections, frozen.instances]).toEqual([null, null, null]);
        const lost = await service.dataWhere(({ health }) => health.status === 'unavailable');
        expect(lost.health.parts).toContainEqual(expect.objectContaining({ name: 'database', state: 'unavailable' }));
        for (const path of ['events', 'keys?name=test', 'key-usage?id=1']) {
          const answer = await service.management.get(`/console/${path}`);
          expect([path, answer.status, await answer.json()]).toEqual([path, 503, { message: 'The database does not answer.' }]);
        }
        const { points } = await service.data();
        expect((await service.dataWhere((data) => data.points.last > points.last + 1)).health.status).toBe('unavailable');
        await proxy.restore();
        const back = await service.dataWhere(({ keys, health }) => keys !== null && health.status === 'ready');
        expect(back.projections).not.toBeNull();
      } finally {
        await proxy.restore();
        await service.close();
        await proxy.close();
      }
    });
  });
});
