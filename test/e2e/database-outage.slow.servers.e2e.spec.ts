import type { HealthReport } from '#libs/observability';
import { until, UnjudgedError } from '#libs/testing';
import { openPostgresProxy, type PostgresProxy } from '../databases/postgres-proxy.fixture.js';
import { createPostgresDatabase, type TestDatabase } from '../databases/test-database.fixture.js';
import type { Answer } from './api-client.fixture.js';
import { openManagement } from './management.fixture.js';
import { toldLimits } from './rate-limit.fixture.js';
import { startService, type Service } from './service.fixture.js';

const PETS = '/v1/pets';
const REX = { name: 'Rex', categoryId: 7 };

describe('while the database does not answer', () => {
  let database: TestDatabase;
  let proxy: PostgresProxy;
  let service: Service;
  let key: { id: bigint; token: string };
  beforeEach(async () => {
    database = await createPostgresDatabase();
    proxy = await openPostgresProxy(database.url);
    service = await startService({ environment: { DATABASE_URL: proxy.url, DATABASE_TIMEOUT_MILLISECONDS: '1500' } });
    key = await service.issueKey({ plan: 'enterprise', perMinute: 1_000, perDay: 5_000, scopes: ['pets', 'graphql'] });
    await service.client.post(PETS, REX, { key: key.token });
  });
  afterEach(async () => {
    await proxy.restore();
    await service.close();
    await proxy.close();
    await database.remove();
  });

  const failures: readonly [string, () => Promise<void> | void][] = [
    ['is frozen', () => proxy.freeze()],
    ['is gone', () => proxy.disconnect()],
  ];
  const graphql = (token: string) =>
    service.client.post('/graphql', { query: '{ petCounts { count } }' }, { key: token, headers: { accept: 'application/json' } });
  const everything = (token = key.token): Promise<Answer>[] => [
    service.client.get(PETS, { key: token }),
    service.client.get(`${PETS}?status=sold&limit=3`, { key: token }),
    service.client.get(`${PETS}/1`, { key: token }),
    service.client.post(PETS, REX, { key: token }),
    service.client.post(PETS, REX, { key: token, headers: { 'idempotency-key': 'once' } }),
    graphql(token),
  ];
  const returned = () => until(async () => (await Promise.all(everything())).every(({ status }) => status < 300));

  it.each(failures)('because it %s, every request is answered 503, it is told, and all is well after its return', async (_, fail) => {
    const management = await openManagement(service);
    const readiness = async () => (await service.client.get('/health/ready', { key: null })).status;
    const report = async () => (await (await management.get('/health/ready')).json()) as HealthReport;
    const before = toldLimits(await service.client.get(PETS, { key: key.token }));
    expect(await readiness()).toBe(200);
    await fail();
    for (let round = 0; round < 3; round += 1) {
      for (const answer of await Promise.all(everything())) {
        expect(answer.status).toBe(503);
        expect(answer.headers['retry-after']).toMatch(/^[1-9]\d*$/);
        expect(toldLimits(answer).limit).toBe(before.limit);
        expect(answer.text).toContain('"service_unavailable"');
      }
    }
    // Each part is checked when its own last check is half a second old: another one may make the service unavailable earlier.
    await until(async () => (await report()).parts.database?.state === 'unavailable');
    expect(await readiness()).toBe(503);
    expect((await service.client.get('/health/live', { key: null })).status).toBe(200);
    await proxy.restore();
    await returned();
    await until(async () => (await readiness()) === 200);
  });

  it('nothing that is refused as unavailable for certain is counted against the quota', async () => {
    await proxy.disconnect();
    // The first ones may still be admitted by a look-up of before, and are counted.
    await Promise.all(everything());
    const known = async () => toldLimits(await service.client.get(PETS, { key: key.token })).day.remaining;
    let remaining = await known();
    for (let next = await known(); next !== remaining; next = await known()) remaining = next;
    await Promise.all(everything());
    expect(await known()).toBe(remaining);
  });

  it('loses nothing that was acknowledged when connections are cut in the middle', async () => {
    const acknowledged = new Set<number>();
    const add = async (): Promise<void> => {
      const answer = await service.client.post(PETS, REX, { key: key.token });
      if (answer.status === 201) acknowledged.add(answer.json<{ id: number }>().id);
      else expect(answer.status).toBe(503);
    };
    const adding = Array.from({ length: 8 }, async () => {
      for (let count = 0; count < 25; count += 1) await add();
    });
    for (let cuts = 0; cuts < 10; cuts += 1) {
      await add();
      proxy.cut();
    }
    await Promise.all(adding);
    await returned();
    for (const id of acknowledged) expect((await service.client.get(`${PETS}/${id}`)).status).toBe(200);
    if (acknowledged.size === 0) throw new UnjudgedError('0 of at least 1 animal was acknowledged.');
  });
});
