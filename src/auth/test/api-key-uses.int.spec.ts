import { Database, type ManagedTransaction } from '#libs/database';
import { systemTimers } from '#libs/observability';
import { composeModules } from '#libs/http';
import { openTestedModule, SettableClock, type TestedModule } from '#libs/testing';
import { createDatabase } from '../../../test/databases/test-backend.fixture.js';
import { startService } from '../../../test/e2e/service.fixture.js';
import { AuthModule } from '../auth.module.js';
import { auth } from '../index.js';
import { ApiKeyUses } from '../last-use/api-key-uses.js';

describe('the last use of API keys', () => {
  let tested: TestedModule;
  let uses: ApiKeyUses;
  let database: Database;
  let clock: SettableClock;
  let writes: number;

  beforeEach(async () => {
    clock = new SettableClock(new Date('2026-06-01T12:00:10.500Z'));
    tested = await openTestedModule(
      [AuthModule.forRoot({ deployment: 'development', purpose: 'cli', scopes: new Map() })],
      clock,
      composeModules([auth]),
    );
    uses = tested.application.get(ApiKeyUses, { strict: false });
    database = tested.application.get(Database);
    const transact = database.transaction.bind(database);
    writes = 0;
    database.transaction = <Result>(work: (transaction: ManagedTransaction) => Result | Promise<Result>) => {
      writes += 1;
      return transact(work);
    };
  });
  afterEach(() => tested.close());

  const lastUses = async (of = uses) => [...(await of.lastUses([1n, 2n, 3n]))].map(([id, time]) => [id, time.toISOString()]).sort();

  it('is known to the minute at once, and written for all keys together, again only when the minute has changed', async () => {
    for (let request = 0; request < 100; request += 1) uses.record(request % 2 === 0 ? 1n : 2n);
    const used = [
      [1n, '2026-06-01T12:00:00.000Z'],
      [2n, '2026-06-01T12:00:00.000Z'],
    ];
    expect(await lastUses()).toEqual(used);
    expect(writes).toBe(0);
    await uses.flush();
    expect(await lastUses(new ApiKeyUses(database, clock, systemTimers))).toEqual(used);
    uses.record(1n);
    await uses.flush();
    expect(writes).toBe(1);
    clock.advance(60_000);
    uses.record(1n);
    await uses.flush();
    expect(writes).toBe(2);
    expect((await lastUses())[0]).toEqual([1n, '2026-06-01T12:01:00.000Z']);
  });

  it('is never set back by another instance that is behind', async () => {
    uses.record(1n);
    await uses.flush();
    const behind = new ApiKeyUses(database, new SettableClock(new Date('2026-06-01T11:00:00.000Z')), systemTimers);
    behind.record(1n);
    await behind.flush();
    expect(await lastUses(behind)).toEqual([[1n, '2026-06-01T12:00:00.000Z']]);
  });

  it('is written when the service ends', async () => {
    const { url, remove } = await createDatabase();
    const environment = { DATABASE_URL: url };
    const ending = await startService({ environment });
    const { id, token } = await ending.issueKey();
    await ending.client.get('/v1/pets', { key: token });
    await ending.close();
    const next = await startService({ environment });
    const written = await next.app.get(ApiKeyUses, { strict: false }).lastUses([id]);
    await next.close();
    await remove();
    expect(written).toEqual(new Map([[id, new Date('2026-06-01T12:00:00.000Z')]]));
  });
});
