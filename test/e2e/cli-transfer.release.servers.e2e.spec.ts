import { once } from 'node:events';
import { EventStore } from '#libs/event-sourcing';
import { UnjudgedError } from '#libs/testing';
import { finished } from './built-service.fixture.js';
import { startService } from './service.fixture.js';
import { LIST_OF_MIGRATIONS, openTransfer, reportOf, untilAlone, untilFound, type TransferUnderTest } from './transfer.fixture.js';

describe('db transfer that is disturbed', () => {
  let databases: TransferUnderTest;
  beforeEach(async () => {
    databases = await openTransfer();
  });
  afterEach(() => databases.remove());

  it('finishes what was broken off after the log was there, or before an earlier build had made its tables', async () => {
    await databases.observer.query(LIST_OF_MIGRATIONS);
    const file = await databases.addAnimals(10);
    expect(reportOf(await databases.transfer())).toMatchObject({ events: 10, copied: 10 });
    await databases.observer.query('DELETE FROM "import_progress"; UPDATE "projection_checkpoints" SET "position" = 5');
    expect(await databases.transfer()).toMatchObject({ code: 0, stderr: '' });
    expect(await databases.verifyTarget()).toMatchObject({ events: 10, problems: [] });
    expect(reportOf(await databases.onTarget('pets', 'import', file))).toMatchObject({ added: 0 });
  });

  it('can be killed in the middle, leaves a whole log of its own behind, and goes on', async () => {
    await databases.addAnimals(5_000);
    await databases.onTarget('db', 'migrate');
    const { reached, release } = await databases.holdAfter(4_000);
    const killed = databases.startTransfer();
    await reached();
    killed.kill('SIGKILL');
    await once(killed, 'close');
    await release();
    await untilAlone(databases.observer);
    expect(await databases.verifyTarget()).toEqual({ events: 4_000, streams: 4_000, problems: [] });
    const counters = await databases.observer.query<object>('SELECT "name", "last_value" FROM "sequences" ORDER BY "name"');
    expect(counters.rows).toEqual(['position', 'stream:pet', 'type:pet-added'].map((name) => ({ name, last_value: '4000' })));
    expect(reportOf(await databases.transfer())).toMatchObject({ events: 5_000, copied: 1_000 });
    expect(await databases.verifyTarget()).toEqual({ events: 5_000, streams: 5_000, problems: [] });
  });

  it('can be killed at any statement, the making of its tables too, and goes on until it is done', async () => {
    await databases.addAnimals(2_500);
    let [statement, next] = [1, 2];
    let outcome = await databases.killAt(statement);
    for (; outcome === 'killed'; outcome = await databases.killAt(statement)) [statement, next] = [next, statement + next];
    // It may have been done already when it was killed last.
    expect(outcome).toMatchObject({ code: 0, stderr: expect.stringMatching(/^(?:\S+ at \S+ equals the source already; [^\n]*\n)?$/) });
    // The tables alone are made by more.
    expect(statement).toBeGreaterThan(50);
    expect(await databases.verifyTarget()).toEqual({ events: 2_500, streams: 2_500, problems: [] });
    expect(await databases.transfer()).toMatchObject({ code: 0, stderr: expect.stringContaining('equals the source already') });
  }, 600_000);

  it('stops when something else writes to the target', async () => {
    await databases.addAnimals(5_000);
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
    const stderr = 'Something else writes to the target: stop it, empty the database, and transfer again.\n';
    expect(await transferring).toEqual({ code: 1, stdout: '', stderr });
  });

  it('lets a running service answer reads, and writes with 503, and go on afterwards', async () => {
    await databases.addAnimals(3_000);
    await databases.onTarget('db', 'migrate');
    const { reached, release } = await databases.holdAfter(2_000);
    const service = await startService({ environment: { DATABASE_URL: databases.source } });
    try {
      const events = Number(await service.app.get(EventStore).lastPosition());
      const ended = finished(databases.startTransfer());
      await reached();
      const add = () => service.client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
      let refused = 0;
      const refusals = [1, 2, 3].map(async () => {
        expect(await add()).toMatchObject({ status: 503, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } });
        refused += 1;
      });
      let reads = 0;
      while (refused === 0) {
        expect(await service.client.get('/v1/pets?limit=1')).toMatchObject({ status: 200 });
        reads += 1;
      }
      await Promise.all(refusals);
      await release();
      const { code, stdout } = await ended;
      expect([code, reportOf({ stdout })]).toEqual([0, expect.objectContaining({ events, copied: events })]);
      expect(await add()).toMatchObject({ status: 201 });
      expect(reportOf(await databases.transfer())).toMatchObject({ copied: 1 });
      // Were the service to wait for the lock in place, it would have answered one.
      if (reads <= 20) throw new UnjudgedError(`${reads} of at least 21 reads were answered while writes waited.`);
    } finally {
      await service.close();
    }
  });
});
