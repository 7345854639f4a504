import { finished } from './built-service.fixture.js';
import { startService } from './service.fixture.js';
import { openTransfer, untilFound, type TransferUnderTest } from './transfer.fixture.js';

describe('db transfer that is disturbed', () => {
  let databases: TransferUnderTest;
  beforeEach(async () => {
    databases = await openTransfer();
  });
  afterEach(() => databases.remove());

  it('can be killed at any statement, the making of its tables too, and then begins again', async () => {
    await databases.addAnimals(2_500);
    let [statement, next] = [1, 2];
    let outcome = await databases.killAt(statement);
    for (; outcome === 'killed'; outcome = await databases.killAt(statement)) [statement, next] = [next, statement + next];
    // It may have been done already when it was killed last.
    const isMoved = { code: 1, stderr: expect.stringContaining('was moved to') as string };
    expect([{ code: 0, stderr: '' }, isMoved]).toContainEqual({ code: outcome.code, stderr: outcome.stderr });
    // The tables alone are made by more.
    expect(statement).toBeGreaterThan(50);
    expect(await databases.verifyTarget()).toEqual({ events: 2_500, streams: 2_500, problems: [] });
    expect(await databases.transfer()).toMatchObject(isMoved);
  }, 600_000);

  it('fails when something else writes to the target', async () => {
    await databases.addAnimals(100);
    await databases.onTarget('db', 'migrate');
    const { reached, release } = await databases.holdAfter(0);
    const transferring = databases.transfer();
    await reached();
    const issued = databases.onTarget('keys', 'create', '--name', 'intruder');
    await untilFound(
      databases.observer,
      `SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
      WHERE locktype = 'advisory' AND objid <> 1 AND NOT granted AND datname = current_database()`,
    );
    await release();
    expect(await issued).toMatchObject({ code: 0 });
    const stderr = expect.stringMatching(/^The target differs from the source, do not use it: .*table events differs.*\n$/) as string;
    expect(await transferring).toEqual({ code: 1, stdout: '', stderr });
  });

  it('lets a running service answer reads, and writes with 503, from then on', async () => {
    await databases.addAnimals(3_000);
    await databases.onTarget('db', 'migrate');
    const { reached, release } = await databases.holdAfter(2_000);
    const service = await startService({ environment: { DATABASE_URL: databases.source } });
    try {
      const transferring = finished(databases.startTransfer());
      await reached();
      const add = () => service.client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
      const refused = add();
      expect(await service.client.get('/v1/pets?limit=1')).toMatchObject({ status: 200 });
      expect(await refused).toMatchObject({ status: 503, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } });
      await release();
      expect(await transferring).toMatchObject({ code: 0 });
      expect(await add()).toMatchObject({ status: 503 });
      expect(await service.client.get('/v1/pets?limit=1')).toMatchObject({ status: 200 });
    } finally {
      await service.close();
    }
  });
});
