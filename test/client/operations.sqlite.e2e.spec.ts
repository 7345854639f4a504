import { readFileSync } from 'node:fs';
import { AdoptionError, createClient, etagOf, verifyWebhook, type AdoptionEvent, type Client } from '../../packages/client/src/index.js';
import { expectEventually } from '#libs/testing';
import { composition } from '../../src/bootstrap/composition.js';
import { openCuttingProxy } from '../e2e/cutting-proxy.fixture.js';
import { startService, UNLIMITED, type Service } from '../e2e/service.fixture.js';
import { startReceiver } from '../e2e/webhook-receiver.fixture.js';

const GREATEST = 9223372036854775807n;
const LEAST = -9223372036854775808n;

const { paths } = JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')) as {
  paths: Record<string, Record<string, { readonly deprecated?: true }>>;
};
const COVERED = { animals: ['events', 'pets', 'store', 'webhooks'], keys: ['key', 'keys'] };

/** Returns the operations below these paths that are not deprecated, such as `PATCH /pets/{petId}`. */
function findDocumented(covered: readonly string[]): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(covered.includes(path.split('/')[1] ?? '') ? item : {})
      .filter(([, { deprecated }]) => !deprecated)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
}

/** The operation of the document that a request is. */
function findOperation(method: string, url: string): string {
  const path = new URL(url).pathname.replace('/v1', '');
  const template = Object.keys(paths).find((each) => new RegExp(`^${each.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path));
  return `${method} ${template ?? path}`;
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Returns the code with which a call is refused; undefined if it succeeds. */
function refusalOf(call: Promise<unknown>): Promise<string | undefined> {
  return call.then(
    () => undefined,
    (error: unknown) => (error instanceof AdoptionError ? error.code : String(error)),
  );
}

describe('the client on a real service', () => {
  let service: Service;
  let key: string;
  let client: Client<bigint>;
  let operations: Set<string>;
  beforeEach(async () => {
    service = await startService({ environment: { WEBHOOK_ALLOW_LOOPBACK: 'true' } });
    // Messages are signed with the time of the service.
    service.clock.set(new Date());
    ({ token: key } = await service.issueKey({ ...UNLIMITED, scopes: [...composition().scopes.keys()] }));
    operations = new Set();
    client = clientOf(key);
  });
  afterEach(() => service.close());

  const clientOf = (secret: string, maxWait?: number) =>
    createClient({
      baseUrl: service.origin,
      key: secret,
      maxWait,
      onWarning: () => undefined,
      fetch: (url, options) => {
        operations.add(findOperation(options?.method ?? 'GET', new Request(url).url));
        return fetch(url, options);
      },
    });

  const addAnimals = async (count: number) => {
    for (let index = 0; index < count; index += 1) await client.pets.add({ name: `Rex ${index}`, categoryId: 7n, status: 'available' });
  };

  it('does every documented operation on animals, orders, events and webhooks', async () => {
    const rex = await client.pets.add({ name: 'Rex', categoryId: 7n, status: 'available' });
    const max = await client.pets.update(rex.id, { name: 'Max' }, { ifMatch: etagOf(await client.pets.get(rex.id)) });
    expect(await all(client.pets.list({ status: 'available', ids: [rex.id, 999n] }))).toEqual([max]);
    const order = await client.orders.place({ petId: rex.id, note: 'Soon.' });
    expect(await client.orders.get(order.id)).toEqual(order);
    expect(await client.orders.approve(order.id, { ifMatch: etagOf(order) })).toMatchObject({ status: 'approved', version: 2n });
    expect(await client.orders.cancel(order.id, { reason: 'Too far.' })).toMatchObject({ status: 'cancelled' });
    const second = await client.orders.place({ petId: rex.id });
    await client.orders.approve(second.id);
    expect(await client.orders.deliver(second.id)).toMatchObject({ status: 'delivered' });
    expect(await all(client.orders.list({ petId: rex.id, status: 'delivered' }))).toHaveLength(1);
    expect(await client.orders.inventory()).toEqual({ available: 0n, pending: 0n, sold: 1n, unset: 0n });
    const ana = await client.pets.add({ name: 'Ana', categoryId: 7n, status: 'available' });
    const { id: cancelledOrder } = await client.orders.place({ petId: ana.id });
    expect(await client.pets.withdraw(ana.id, 'returned')).toEqual({ cancelledOrder });
    expect(await client.pets.withdraw(rex.id, 'sold')).toEqual({ cancelledOrder: undefined });

    const receiver = await startReceiver();
    const webhook = await client.webhooks.add({ url: receiver.url, types: ['pet.added'] });
    expect(await all(client.webhooks.list())).toMatchObject([{ id: webhook.id }]);
    expect(await client.webhooks.update(webhook.id, { types: null, description: 'ours' })).toMatchObject({ description: 'ours' });
    expect(await client.webhooks.get(webhook.id)).toMatchObject({ description: 'ours' });
    await client.webhooks.test(webhook.id);
    const [message] = await receiver.received(1);
    expect(await verifyWebhook(webhook.secret ?? '', message?.headers ?? {}, message?.body ?? '')).toMatchObject({
      type: 'webhook.test',
      id: expect.stringMatching(/^9\d{18}$/),
      sequence: expect.stringMatching(/^\d{19}$/),
      dataschema: expect.stringMatching(/\/schemas\/webhook\.test\/1$/),
      data: { id: webhook.id },
    });
    expect(await client.webhooks.replay(webhook.id, { after: '0' })).toMatchObject({ events: expect.any(BigInt) });
    await receiver.received(2);
    const deliveries = () => all(client.webhooks.deliveries(webhook.id, { limit: 1 }));
    await expectEventually(async () => (await deliveries()).length > 0, true);
    const [delivery] = await deliveries();
    expect(await client.webhooks.redeliver(webhook.id, delivery?.id ?? 0n)).toEqual({ id: expect.any(BigInt) });
    expect((await client.webhooks.rotateSecret(webhook.id, { grace: '90m' })).secret).not.toBe(webhook.secret);
    await client.webhooks.delete(webhook.id);
    expect((await all(client.events.list({ types: ['pet.added'], limit: 1 }))).map(({ subject }) => subject)).toEqual(['pets/1', 'pets/2']);
    expect([...operations].sort()).toEqual(findDocumented(COVERED.animals).sort());
  });

  it('does every documented operation on API keys', async () => {
    const website = { name: 'Website', owner: 'Happy Paws GmbH', scopes: ['pets'] };
    const once = { idempotencyKey: 'one' };
    const { secret = '', ...issued } = await client.keys.issue(website, once);
    expect(issued).toMatchObject({ ...website, id: expect.any(BigInt), plan: 'free', status: 'active' });
    const { id } = issued;
    const { note, ...repeated } = await client.keys.issue(website, once);
    expect(repeated).toEqual(issued);
    expect(note).toContain(`/v1/keys/${id}/rotate`);

    const seen = await client.keys.get(id);
    expect(seen).toEqual(issued);
    expect(await client.keys.get(id, { ifNoneMatch: etagOf(seen) })).toBeUndefined();
    const changed = await client.keys.update(id, { owner: null, plan: 'pro', scopes: ['pets', 'orders'] }, { ifMatch: etagOf(seen) });
    expect(changed).toMatchObject({ name: 'Website', plan: 'pro', scopes: ['pets', 'orders'] });
    expect(changed.owner).toBeUndefined();
    await expect(client.keys.revoke(id, { ifMatch: etagOf(seen) })).rejects.toMatchObject({ status: 412, code: 'precondition_failed' });
    expect((await all(client.keys.list({ limit: 1 }))).map((each) => each.id)).toEqual([1n, 2n, id]);
    expect(await all(client.keys.list({ status: 'active', plan: 'pro', name: 'WEB' }))).toEqual([changed]);
    expect(await all(client.keys.list({ owner: website.owner }))).toEqual([]);
    expect(await all(client.keys.list({ usedAbove: 99 }))).toEqual([]);
    const usage = await client.keys.usage(id, { days: 2 });
    expect(usage.days).toHaveLength(2);
    expect(usage.limits.minute.remaining).toBe(changed.limits.perMinute);
    expect(await client.keys.usage(id, { days: 2, ifNoneMatch: etagOf(usage) })).toBeUndefined();
    expect((await client.keys.usage(id)).days).toHaveLength(30);

    const user = clientOf(secret, 0);
    expect(await user.key.get()).toMatchObject({ id, name: 'Website', plan: 'pro', limits: { day: { limit: changed.limits.perDay } } });
    const { secret: second, previousSecretValidUntil } = await user.key.rotate({ grace: '90m' });
    expect(previousSecretValidUntil).toBe(new Date(service.clock.now().getTime() + 90 * 60_000).toISOString());
    const { secret: third, ...rotated } = await client.keys.rotate(id, { grace: '0s' });
    expect(new Set([secret, second, third]).size).toBe(3);
    expect(rotated).toMatchObject({ id, rotatedAt: expect.any(String) });
    const banned = clientOf(third, 0);
    const ban = { until: expect.any(String) as string, reason: 'Runs wild.' };
    expect(await client.keys.ban(id, { seconds: 3_600, reason: ban.reason })).toMatchObject({ status: 'banned', ban });
    await expectEventually(() => refusalOf(banned.keys.list().toArray({ max: 1 })), 'key_banned');
    expect(await banned.key.get()).toMatchObject({ id, ban });
    expect(await client.keys.unban(id)).toMatchObject({ status: 'active' });
    const revoked = await client.keys.revoke(id, { ifMatch: etagOf(await client.keys.get(id)) });
    expect(revoked).toMatchObject({ status: 'revoked', revokedAt: expect.any(String) });
    expect(await client.keys.revoke(id)).toEqual(revoked);
    expect([...operations].sort()).toEqual(findDocumented(COVERED.keys).sort());
  });

  it.each([GREATEST, LEAST])('has the int64 %p in every answer that it was in a request', async (categoryId) => {
    const { id } = await client.pets.add({ name: 'Rex', categoryId });
    expect(await client.pets.get(id)).toEqual({ id, name: 'Rex', categoryId });
    expect(await all(client.pets.list({ ids: [id, GREATEST] }))).toEqual([{ id, name: 'Rex', categoryId }]);
    expect(await all(client.events.list())).toMatchObject([{ id: expect.any(String), data: { id, categoryId } }]);
    await expect(client.pets.get(GREATEST)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining(String(GREATEST)),
    });
    const { body } = await client.request('GET', '/v1/pets', { query: { ids: id } });
    expect(body).toEqual([{ id, name: 'Rex', categoryId }]);
    const texts = createClient({ baseUrl: service.origin, key, ids: 'string', onWarning: () => undefined });
    const text = String(categoryId);
    const added = await texts.pets.add({ name: 'Max', categoryId: text });
    expect(added).toEqual({ id: String(id + 1n), name: 'Max', categoryId: text });
    expect(await texts.pets.update(added.id, { categoryId: text })).toEqual(added);
  });

  it('hears of everything once and in order over connections that are cut', async () => {
    const proxy = await openCuttingProxy(service.origin);
    const listening = createClient({ baseUrl: proxy.origin, key });
    const events: AdoptionEvent<bigint>[] = [];
    await addAnimals(2);
    for await (const event of listening.events.stream({ after: 'earliest', types: ['pet.added'] })) {
      events.push(event);
      if (events.length === 8) break;
      if (events.length % 2 === 0) {
        proxy.cut();
        await addAnimals(2);
      }
    }
    expect(events.map(({ subject }) => subject)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map((id) => `pets/${id}`));
    expect(proxy.connections).toBeGreaterThanOrEqual(4);
  });
});
