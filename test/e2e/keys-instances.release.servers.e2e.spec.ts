import { expectEventually } from '#libs/testing';
import { openRedisSpace, type RedisSpace } from '../databases/redis.fixture.js';
import { EventStreamClient } from './event-stream.fixture.js';
import { startInstances, type Instances } from './instances.fixture.js';
import { UNLIMITED } from './service.fixture.js';
import { startReceiver } from './webhook-receiver.fixture.js';

interface Key {
  readonly id: number;
  readonly secret: string;
}

const LIMITS = { perMinute: 1_000_000, perDay: 1_000_000 };

describe('keys at two instances', () => {
  let space: RedisSpace;
  let instances: Instances;
  let manager: string;
  beforeEach(async () => {
    space = await openRedisSpace();
    instances = await startInstances(2, space, { WEBHOOK_ALLOW_LOOPBACK: 'true' });
    manager = (await instances.next().issueKey({ ...UNLIMITED, scopes: ['keys:manage', 'pets', 'events', 'webhooks'] })).token;
  });
  afterEach(async () => {
    await instances.close();
    await space.close();
  });

  const manage = async <Value>(path: string, body?: unknown) =>
    (await instances.next().client.send('POST', `/v1/keys${path}`, { key: manager, body })).json<Value>();
  const issue = () => manage<Key>('', { name: 'Website', plan: 'enterprise', limits: LIMITS, scopes: ['pets', 'events', 'webhooks'] });
  const statusOf = async (secret: string) => (await instances.next().client.get('/v1/pets', { key: secret })).status;
  const statusesOf = (secret: string) =>
    Promise.all(instances.all.map(async ({ client }) => (await client.get('/v1/pets', { key: secret })).status));

  it('are rotated under load: within the grace neither secret is refused, after it the old one always is', async () => {
    const { id, secret } = await issue();
    const known = { secrets: [secret], isOver: false };
    const seen: (readonly [secret: string, status: number])[] = [];
    const clients = Array.from({ length: 8 }, async () => {
      while (!known.isOver) for (const each of known.secrets) seen.push([each, await statusOf(each)]);
    });
    const rotated = await manage<Key>(`/${id}/rotate?grace=1h`);
    known.secrets.push(rotated.secret);
    // So many that both secrets were used at both instances after the rotation.
    const goal = seen.length + 200;
    await expectEventually(() => Promise.resolve(seen.length > goal), true);
    await Promise.all([statusOf(secret), statusOf(rotated.secret)]);
    known.isOver = true;
    await Promise.all(clients);
    expect(new Set(seen.map(([, status]) => status))).toEqual(new Set([200]));
    expect(new Set(seen.map(([each]) => each))).toEqual(new Set([secret, rotated.secret]));
    instances.clock.advance(3_600_000);
    await expectEventually(() => statusesOf(secret), [401, 401]);
    for (let count = 0; count < 20; count += 1) expect(await statusOf(secret)).toBe(401);
    expect(await statusesOf(rotated.secret)).toEqual([200, 200]);
  });

  it('are revoked everywhere: requests, streams and webhooks', async () => {
    const { id, secret } = await issue();
    const receiver = await startReceiver();
    const [first, second] = instances.all;
    const webhook = await first?.client.post('/v1/webhooks', { url: receiver.url, types: ['pet.added'] }, { key: secret });
    expect(webhook?.status).toBe(201);
    const streams = await Promise.all(instances.all.map(({ origin }) => EventStreamClient.open(origin, { key: secret, query: '' })));
    const add = () => second?.client.post('/v1/pets', { name: 'Rex', categoryId: 7 }, { key: manager });
    await add();
    await expectEventually(() => Promise.resolve(receiver.received.length), 1);
    expect(await statusesOf(secret)).toEqual([200, 200]);
    await manage(`/${id}/revoke`);
    await expectEventually(() => statusesOf(secret), [401, 401]);
    await Promise.all(streams.map((stream) => stream.over()));
    expect(streams.map(({ isComplete }) => isComplete)).toEqual([true, true]);
    await add();
    const { id: other } = await issue();
    expect(other).toBeGreaterThan(id);
    // What another endpoint has received after that, this one would have received too.
    const control = await startReceiver();
    await first?.client.post('/v1/webhooks', { url: control.url, types: ['pet.added'] }, { key: manager });
    await add();
    await expectEventually(() => Promise.resolve(control.received.length), 1);
    expect(receiver.received).toHaveLength(1);
  });
});
