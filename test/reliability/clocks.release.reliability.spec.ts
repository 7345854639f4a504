import { until } from '#libs/testing';
import { createPostgresDatabase, execute } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { runBuilt, type BuiltService } from '../e2e/built-service.fixture.js';
import { managementAt } from '../e2e/management.fixture.js';
import { startReceiver } from '../e2e/webhook-receiver.fixture.js';
import { publishedPositions, queryDatabase } from './history/final-state.fixture.js';
import { describeWithFalseClocks, falseClock } from './system/false-clock.fixture.js';
import { createSystem, PATIENT, readinessOf, type SystemUnderTest } from './system/system-under-test.fixture.js';

const RESERVATION_SECONDS = 6;
const ORDERS = 3;
const LEASE_RENEWALS = 5;
const DAY_MILLISECONDS = 86_400_000;
const VARIABLES = { ...PATIENT, ORDER_RESERVATION_MINUTES: `${RESERVATION_SECONDS / 60}`, WEBHOOK_ALLOW_LOOPBACK: 'true' };
const REX = { name: 'Rex', categoryId: 7, status: 'available' };

describeWithFalseClocks('an instance whose machine has a wrong clock', () => {
  let system: SystemUnderTest;
  beforeEach(async () => (system = await createSystem(createPostgresDatabase, VARIABLES)));

  const startWrong = (offset: string): Promise<BuiltService> => system.launchBeside(falseClock(offset)).listening;
  const clientOf = ({ origin }: Pick<BuiltService, 'origin'>) => new ApiClient(origin, system.key);
  const addPet = async (client: ApiClient): Promise<number> => (await client.post('/v1/pets', REX)).json<{ id: number }>().id;

  it.each(['+300s', '-300s'])('ends no order before its time at %s, and each in time', async (offset) => {
    const clients = [await system.launch().listening, await startWrong(offset)].map(clientOf);
    const lived = clients.flatMap((client) =>
      Array.from({ length: ORDERS }, async () => {
        const petId = await addPet(client);
        const sentAt = performance.now();
        const placed = await client.post('/v1/store/orders', { petId });
        expect(placed.status).toBe(201);
        const [one, other] = await Promise.all(
          clients.map(async (reader) => {
            const path = `/v1/store/orders/${placed.json<{ id: number }>().id}`;
            await until(async () => (await reader.get(path)).json()['status'] === 'expired');
            return (performance.now() - sentAt) / 1_000;
          }),
        );
        return Math.min(one ?? 0, other ?? 0);
      }),
    );
    // A slow machine makes them longer, and only a wrong clock shorter.
    for (const seconds of await Promise.all(lived)) expect(seconds).toBeGreaterThanOrEqual(RESERVATION_SECONDS);
  });

  it('removes nothing at +40 days that is to be kept: whoever repeats a request gets the first response', async () => {
    const client = clientOf(await system.launch().listening);
    const repeatable = { headers: { 'idempotency-key': 'first' } };
    const added = await client.post('/v1/pets', REX, repeatable);
    const order = { petId: added.json<{ id: number }>().id };
    const placed = await client.post('/v1/store/orders', order, repeatable);
    expect([added.status, placed.status]).toEqual([201, 201]);
    const longAgo = Date.now() - 60 * DAY_MILLISECONDS;
    await execute(system.databaseUrl, `INSERT INTO "idempotency_keys" VALUES ('any', 'old', 'any', 1, 1, ${longAgo})`);
    await startWrong('+40d');
    // It has looked for what need not be kept when that one is gone.
    await until(async () => (await queryDatabase(system.databaseUrl, `SELECT 1 FROM "idempotency_keys" WHERE "key" = 'old'`)).length === 0);
    const again = [await client.post('/v1/pets', REX, repeatable), await client.post('/v1/store/orders', order, repeatable)];
    expect(again.map(({ status, text }) => ({ status, text }))).toEqual([added, placed].map(({ status, text }) => ({ status, text })));
  });

  it('takes no webhook endpoint from another at +15 s: each event is sent once, in order', async () => {
    const receiver = await startReceiver();
    const services = [await system.launch().listening, await startWrong('+15s')];
    const [client] = services.map(clientOf);
    if (!client) throw new Error('No instance runs.');
    expect((await client.post('/v1/webhooks', { url: receiver.url })).status).toBe(201);
    const holders = new Set<string>();
    const leases = new Set<string>();
    while (leases.size < LEASE_RENEWALS) {
      await addPet(client);
      for (const { holder, held_until } of await readLeases()) {
        holders.add(holder);
        leases.add(held_until);
      }
    }
    const expected = await publishedPositions(system.databaseUrl, 'endpoint');
    await receiver.received(expected.length);
    await until(() => receiver.messages.some(({ body }) => idOf(body) === expected.at(-1)));
    expect(receiver.messages.map(({ body }) => idOf(body))).toEqual(expected);
    expect(holders.size).toBe(1);
  });

  it('says so, is not ready from half a minute on, and still goes by the clock of the database', async () => {
    expect(await readinessOf(await startWrong('-15s'))).toMatchObject({
      isReady: true,
      parts: { clock: { state: 'degraded', detail: "This machine's clock is 15.0 s behind the database's" } },
    });
    const service = await startWrong('+300s');
    expect(await readinessOf(service)).toMatchObject({
      isReady: false,
      parts: { clock: { state: 'unavailable', detail: "This machine's clock is 300.0 s ahead of the database's" } },
    });
    expect(await managementAt(service.management).sample('adoption_clock_skew_seconds')).toBeCloseTo(300, 0);
    expect(service.output().match(/This machine's clock is 300\.0 s ahead/g)).toHaveLength(1);
    const before = Date.now();
    const limited = await clientOf(service).get('/v1/pets', { key: null });
    const parseEnd = (time: number) => (Math.floor(time / 60_000) + 1) * 60;
    expect([parseEnd(before), parseEnd(Date.now())]).toContain(Number(limited.headers['x-ratelimit-reset']));
    const environment = { DATABASE_URL: system.databaseUrl, ...falseClock('-40s') };
    const doctor = await runBuilt('cli', ['doctor', '--json'], { cwd: system.folder, environment });
    expect(JSON.parse(doctor.stdout)).toMatchObject({
      problems: ["This machine's clock is 40.0 s behind the database's."],
      database: { clockSkewSeconds: -40 },
    });
  });

  const readLeases = () =>
    queryDatabase<{ holder: string; held_until: string }>(
      system.databaseUrl,
      'SELECT "holder", "held_until" FROM "webhook_progress" WHERE "holder" IS NOT NULL',
    );
});

function idOf(body: string): string {
  return (JSON.parse(body) as { id: string }).id;
}
