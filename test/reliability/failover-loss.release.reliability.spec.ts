import { mkdtemp, rm, chmod } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { startOwnPostgres } from '../databases/own-postgres.fixture.js';
import { startPostgresCluster } from '../databases/postgres-cluster.fixture.js';
import { openPostgresProxy } from '../databases/postgres-proxy.fixture.js';
import { execute } from '../databases/test-database.fixture.js';
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

/**
 * Loses what happens between a moment and now, and looks at all that holds on to a position: caches, streams, webhooks, clients.
 * @param atTheMoment called when all that is to stay has happened
 * @param lose has the address of the database lead to a log that ends there
 */
async function expectNothingStale(instances: Instances, atTheMoment: () => Promise<void>, lose: () => Promise<void>): Promise<void> {
  const { system, services, clients } = instances;
  const [writer, reader] = clients;
  const receiver = await startReceiver();
  expect((await writer.post('/v1/webhooks', { url: receiver.url, types: ['pet.added'] })).status).toBe(201);
  await addMany(writer, 'kept');
  await receiver.received(MANY);
  await atTheMoment();

  const keyToRevoke = JSON.parse((await system.command('keys', 'create', '--name', 'lost')).stdout) as { id: number; key: string };
  const lostIds = await addMany(writer, 'lost');
  await receiver.received(2 * MANY);
  const staleTag = await readAll(instances);
  const stream = await EventStreamClient.open(services[1].origin, { key: system.key, query: '?after=earliest' });
  const seen = await stream.events(2 * MANY);
  const lostPosition = seen.at(-1)?.id;

  await lose();
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
}

describe('a failover to a standby with a loss', () => {
  it('that lacks the last events shows nothing that is lost, and brings all that is new to everybody', async () => {
    const cluster = await startPostgresCluster();
    const instances = await startInstances(cluster.url);
    const upToHere = async () => {
      await until(async () => (await cluster.lag()) === 0n);
      await cluster.standby.stop();
    };
    await expectNothingStale(instances, upToHere, async () => {
      await cluster.primary.kill();
      await cluster.standby.start();
      await cluster.standby.promote();
      cluster.proxy.redirect(cluster.standby.url);
    });
  });
});

describe('a restore', () => {
  it('to a moment under running instances shows nothing that is lost, and brings all that is new to everybody', async () => {
    const archive = await mkdtemp(join(tmpdir(), 'adoption-archive-'));
    closeAtEnd(() => rm(archive, { recursive: true, force: true }));
    await chmod(archive, 0o777);
    const server = await startOwnPostgres({ archive_mode: 'on', archive_command: `cp %p ${archive}/%f` });
    const backup = await server.takeBaseBackup();
    const proxy = await openPostgresProxy(server.url);
    const instances = await startInstances(proxy.url);
    const upToHere = () => execute(server.url, `SELECT pg_create_restore_point('before')`);
    await expectNothingStale(instances, upToHere, async () => {
      await execute(server.url, 'SELECT pg_switch_wal()');
      // Stopped in good order, it archives all that there is.
      await server.stop();
      const settings = {
        restore_command: `cp ${archive}/%f %p`,
        recovery_target_name: 'before',
        recovery_target_action: 'promote',
      };
      const restored = await startOwnPostgres(settings, undefined, { backup, as: 'recovery' });
      proxy.redirect(restored.url);
    });
  });
});
