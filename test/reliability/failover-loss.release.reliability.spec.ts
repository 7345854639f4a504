import { until } from '#libs/testing';
import { startPostgresCluster } from '../databases/postgres-cluster.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import type { BuiltService } from '../e2e/built-service.fixture.js';
import { EventStreamClient } from '../e2e/event-stream.fixture.js';
import { startReceiver } from '../e2e/webhook-receiver.fixture.js';
import { addMany, MANY, namesOf, rewinds, startInstances, verified, type Instances } from './system/failover-instances.fixture.js';

const graphql = (client: ApiClient) => client.post('/graphql', { query: '{ pets(first: 100) { nodes { name } } }' });

async function untilReady(services: readonly BuiltService[]): Promise<void> {
  await until(async () => {
    const answers = await Promise.all(services.map(({ origin }) => fetch(`${origin}/health/ready`)));
    return answers.every(({ status }) => status === 200);
  });
}

/** What both instances show once, by their caches too; resolves with the tag of the list at the second one. */
async function readAll({ clients }: Instances): Promise<string> {
  for (const client of clients) for (let times = 0; times < 2; times += 1) await Promise.all([client.get('/v1/pets'), graphql(client)]);
  return (await clients[1].get('/v1/pets')).headers.etag ?? '';
}

describe('a failover to a standby that lacks the last events', () => {
  // Caches, streams, webhooks and clients hold on to a position.
  it('shows nothing that is lost, and brings all that is new to everybody', async () => {
    const cluster = await startPostgresCluster();
    const instances = await startInstances(cluster.url);
    const { system, services, clients } = instances;
    const [writer, reader] = clients;
    const receiver = await startReceiver();
    expect((await writer.post('/v1/webhooks', { url: receiver.url, types: ['pet.added'] })).status).toBe(201);
    await addMany(writer, 'kept');
    await receiver.received(MANY);
    // All that is to stay has happened.
    await until(async () => (await cluster.lag()) === 0n);
    await cluster.standby.stop();

    const keyToRevoke = JSON.parse((await system.command('keys', 'create', '--name', 'lost')).stdout) as { id: number; key: string };
    const lostIds = await addMany(writer, 'lost');
    await receiver.received(2 * MANY);
    const staleTag = await readAll(instances);
    const stream = await EventStreamClient.open(services[1].origin, { key: system.key, query: '?after=earliest' });
    const seen = await stream.events(2 * MANY);
    const lostPosition = seen.at(-1)?.id;

    await cluster.primary.kill();
    await cluster.standby.start();
    await cluster.standby.promote();
    cluster.proxy.redirect(cluster.standby.url);
    await untilReady(services);
    // Nothing was written since: what is shown is what there is.
    for (const client of clients) {
      expect(namesOf(await client.get('/v1/pets'))).toEqual(Array(MANY).fill('kept'));
      for (const id of lostIds) expect((await client.get(`/v1/pets/${id}`)).status).toBe(404);
      expect((await graphql(client)).text).not.toContain('lost');
    }
    expect((await reader.get('/v1/pets', { headers: { 'if-none-match': staleTag } })).status).toBe(200);
    expect((await reader.get('/v1/pets', { key: keyToRevoke.key })).status).toBe(401);

    await stream.over();
    const refused = await reader.get(`/v1/events?after=${lostPosition}`);
    expect(refused.json()).toMatchObject({ code: 'log_rewound', status: 410 });
    const agreed = /continue with after=(\d+)\./.exec(refused.text)?.[1] ?? '';

    // As many as were lost, so that one who counts by position alone takes them for those.
    const newIds = await addMany(writer, 'new', MANY + 1);
    expect(namesOf(await reader.get('/v1/pets?limit=100')).filter((name) => name === 'new')).toHaveLength(MANY + 1);
    expect((await reader.get('/v1/pets', { headers: { 'if-none-match': staleTag } })).status).toBe(200);
    const resumed = await EventStreamClient.open(services[1].origin, { key: system.key, query: `?after=${agreed}` });
    const events = await resumed.events(MANY + 1);
    expect(events.map(({ subject }) => subject)).toEqual(newIds.map((id) => `pets/${id}`));
    for (const { id } of events) expect(BigInt(id)).toBeGreaterThan(BigInt(lostPosition ?? 0) + 1_000_000n);
    const isDelivered = (id: string) => receiver.messages.some(({ body }) => (JSON.parse(body) as { id: string }).id === id);
    await until(() => events.every(({ id }) => isDelivered(id)));

    const [first] = services;
    await first.stop('SIGTERM');
    const restarted = await system.launch().listening;
    const [idAfterTheRestart] = await addMany(new ApiClient(restarted.origin, system.key), 'after the restart', 1);
    await until(() => receiver.told().includes(`pet.added pets/${idAfterTheRestart}`));
    const { problems, histories } = await verified(system);
    expect(problems).toEqual([]);
    expect(histories.at(-1)).toMatchObject({ from: Number(events[0]?.id), agreesUpTo: Number(agreed) });
    expect((await system.command('doctor')).stdout).toContain(`from position ${events[0]?.id}`);
    expect(await rewinds(services[1])).toBe(1);
    const lines = services[1]
      .output()
      .split('\n')
      .filter((line) => line.includes('The log has gone back'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`up to position ${agreed}`);
  });
});
