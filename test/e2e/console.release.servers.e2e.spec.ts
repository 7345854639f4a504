import { openPostgresProxy } from '../databases/postgres-proxy.fixture.js';
import { createPostgresDatabase } from '../databases/test-database.fixture.js';
import { createWorkingDirectory, startBuiltService } from './built-service.fixture.js';
import { watched } from './console.fixture.js';
import { startService } from './service.fixture.js';

describe('the console on PostgreSQL', () => {
  it('counts the instances on the database, and tells of the rest while that does not answer', async () => {
    const database = await createPostgresDatabase();
    const proxy = await openPostgresProxy(database.url);
    const service = await watched(await startService({ environment: { DATABASE_URL: proxy.url } }));
    const folder = await createWorkingDirectory();
    const other = await startBuiltService(folder.path, { DATABASE_URL: database.url });
    try {
      const { instances } = await service.dataWhere((data) => data.instances?.count === 2);
      expect(instances?.connections).toBeGreaterThanOrEqual(2);
      await other.stop('SIGTERM');
      await service.dataWhere((data) => data.instances?.count === 1);

      proxy.freeze();
      await service.dataWhere(({ keys, log, projections, instances }) =>
        [keys, log, projections, instances].every((part) => part === null),
      );
      const lost = await service.dataWhere(({ health }) => health.status === 'unavailable');
      expect(lost.health.parts).toContainEqual(expect.objectContaining({ name: 'database', state: 'unavailable' }));
      const message = 'The database cannot be used at the moment; try again shortly.';
      for (const path of ['events', 'keys?name=test', 'key-usage?id=1']) {
        const answer = await service.management.get(`/console/${path}`);
        expect([path, answer.status, await answer.json()]).toEqual([path, 503, { message }]);
      }
      const seconds = ({ series }: typeof lost) => series['time']?.length ?? 0;
      await service.dataWhere((data) => seconds(data) > seconds(lost) + 1);
      await proxy.restore();
      await service.dataWhere(({ keys, projections, health }) => keys !== null && projections !== null && health.status === 'ready');
    } finally {
      await other.stop('SIGKILL');
      await proxy.restore();
      await service.close();
      await proxy.close();
      await folder.remove();
      await database.remove();
    }
  });
});
