import { until } from '#libs/testing';
import type { Answer } from '../e2e/api-client.fixture.js';
import { queryDatabase, verifyEvents } from './history/final-state.fixture.js';
import { publishedPositions } from './history/published-positions.fixture.js';
import { describeOnHosts } from './network/host-network.fixture.js';
import { startLocalReceiver } from './network/local-receiver.fixture.js';
import { startTwoInstances, type HostedInstance, type TwoInstances } from './network/two-instances.fixture.js';
import { IS_LONG } from './system/run-form.js';

const ROUNDS = IS_LONG ? 10 : 1;
const ORDERS = 4;
const RECEIVER_PORT = 8_090;
const ENVIRONMENT = {
  ORDER_RESERVATION_MINUTES: '0.05',
  WEBHOOK_ALLOW_LOOPBACK: 'true',
  WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1,1,1,1',
};

interface Told {
  readonly id: string;
  readonly webhookId: string;
  readonly at: number;
}

describeOnHosts('the work of an instance whose ways to its servers are cut', () => {
  let two: TwoInstances;
  const query = <Row extends object>(statement: string) => queryDatabase<Row>(two.system.databaseUrl, statement);

  /** What was not acknowledged for sure is asked for once more. */
  const insist = async (send: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      const answer = await send();
      if (answer.status !== 503) return answer;
    }
  };

  /** Those of which somebody was told. */
  const placeOrders = async ({ client }: HostedInstance): Promise<string[]> => {
    const placed: string[] = [];
    while (placed.length < ORDERS) {
      const pet = await insist(() => client.post('/v1/pets', { name: 'Rex', categoryId: 7, status: 'available' }));
      const order = await client.post('/v1/store/orders', { petId: pet.json<{ id: number }>().id });
      if (order.status === 201) placed.push(`order-${order.json<{ id: number }>().id}`);
    }
    return placed;
  };

  const historyOf = async (stream: string): Promise<string> => {
    const rows = await query<{ type: string }>(`SELECT "type" FROM "events" WHERE "stream_id" = '${stream}' ORDER BY "position"`);
    return rows.map(({ type }) => type).join();
  };

  const openOrders = async (): Promise<number> => {
    const [row] = await query<{ open: string }>(
      `SELECT count(*) FILTER (WHERE "type" = 'order-placed') - count(*) FILTER (WHERE "type" = 'order-expired') AS "open" FROM "events"`,
    );
    return Number(row?.open);
  };

  const holder = async (): Promise<string | undefined> => {
    const [row] = await query<{ holder: string }>(`SELECT "holder" FROM "process_leases" WHERE "name" LIKE 'order%'`);
    return row?.holder;
  };

  it('is taken over by the other: each order expires once, and each event reaches its receiver', async () => {
    two = await startTwoInstances({ environment: ENVIRONMENT });
    const { instances, testsAddress, system } = two;
    const receivers = await Promise.all(instances.map((host) => startLocalReceiver(host, RECEIVER_PORT, testsAddress)));
    const told = (): Told[] =>
      receivers
        .flatMap(({ messages }) => messages)
        .map(({ headers, body, at }) => ({ id: (JSON.parse(body) as { id: string }).id, webhookId: String(headers['webhook-id']), at }))
        .sort((one, other) => one.at - other.at);
    const url = `http://127.0.0.1:${RECEIVER_PORT}/events`;
    expect((await insist(() => instances[0].client.post('/v1/webhooks', { url }))).status).toBe(201);
    const placed: string[] = [];
    const holders: (string | undefined)[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [cutOff, other] of [instances, instances.toReversed() as [HostedInstance, HostedInstance]]) {
        placed.push(...(await placeOrders(cutOff)));
        await Promise.all([cutOff.toPostgres.cut(), cutOff.toRedis.cut()]);
        placed.push(...(await placeOrders(other)));
        await until(async () => (await openOrders()) === 0);
        const expected = await publishedPositions(two.system.databaseUrl, 'endpoint');
        await until(() => isToldOf(expected, told()));
        holders.push(await holder());
        await Promise.all([cutOff.toPostgres.mend(), cutOff.toRedis.mend()]);
        await until(async () => (await cutOff.readiness()).isWhole);
      }
    }
    const seen = told();
    const histories = await Promise.all(placed.map(historyOf));
    expect(histories).toEqual(placed.map(() => 'order-placed,order-expired'));
    expect(await verifyEvents(system.databaseUrl, system.folder)).toEqual([]);
    // Each time it was the other that had it at the end.
    expect(holders.filter((one, index) => one === holders[index - 1])).toEqual([]);
    expect([...new Set(seen.map(({ id }) => id))]).toEqual(await publishedPositions(two.system.databaseUrl, 'endpoint'));
    expect(new Set(seen.map(({ id, webhookId }) => `${id} ${webhookId}`)).size).toBe(new Set(seen.map(({ id }) => id)).size);
  });
});

function isToldOf(expected: readonly string[], told: readonly Told[]): boolean {
  const ids = new Set(told.map(({ id }) => id));
  return expected.every((id) => ids.has(id));
}
