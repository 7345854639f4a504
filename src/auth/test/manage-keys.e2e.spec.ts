import { EventStore } from '#libs/event-sourcing';
import { expectEventually } from '#libs/testing';
import { startService, UNLIMITED, type Service } from '../../../test/e2e/service.fixture.js';

const KEYS = '/v1/keys';

type Key = Readonly<Record<string, unknown>> & { readonly id: number; readonly secret?: string };

describe('a key that manages keys', () => {
  let service: Service;
  let manager: { readonly id: bigint; readonly token: string };
  /** The keys of a test are those of its owner. */
  let owner: string;
  let owners = 0;
  beforeAll(async () => {
    service = await startService();
    manager = await service.issueKey({ ...UNLIMITED, name: 'Operator', scopes: ['keys:manage', 'pets', 'orders'] });
  });
  beforeEach(() => (owner = `Paws & Co. ${(owners += 1)}`));
  afterAll(() => service.close());

  const send = (method: string, target: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    service.client.send(method, `${KEYS}${target}`, { key: manager.token, body, headers });
  const values = (given: object = {}) => ({ name: 'Website', owner, scopes: ['pets'], ...given });
  const issue = async (given: object = {}) => (await send('POST', '', values(given))).json<Key>();
  const get = async (id: number) => (await send('GET', `/${id}`)).json<Key>();
  const list = (query = '') => send('GET', `?owner=${encodeURIComponent(owner)}${query}`);
  const ids = async (query = '') => (await list(query)).json<Key[]>().map(({ id }) => id);
  const statusWith = async (token: string | undefined) => (await service.client.get('/v1/pets', { key: token ?? null })).status;
  const after = (milliseconds: number) => new Date(service.clock.now().getTime() + milliseconds).toISOString();
  const eventsOf = async (id: number) => {
    const events = await service.app.get(EventStore).readAll({ streams: [`api-key-${id}`] });
    return events.map(({ type, metadata }) => [type, metadata.actor]);
  };
  it('issues a key that works at once, and shows its secret this once', async () => {
    const answer = await send('POST', '', values({ expiresAt: after(86_400_000) }));
    const { secret, ...key } = answer.json<Key>();
    expect([answer.status, answer.headers['location']]).toEqual([201, `${KEYS}/${key.id}`]);
    expect(key).toEqual({
      ...{ id: key.id, ...values(), keyStart: secret?.split('_')[2]?.slice(0, 4), plan: 'free', limits: { perMinute: 60, perDay: 1_000 } },
      ...{ status: 'active', createdAt: after(0), expiresAt: after(86_400_000) },
    });
    expect(await statusWith(secret)).toBe(200);
    expect(await get(key.id)).toEqual(key);
    expect(await eventsOf(key.id)).toEqual([['api-key-issued', `api-key-${manager.id}`]]);
  });

  it('issues one key for an idempotency key: overlapping and later repeats show no secret and say how to get another one', async () => {
    const headers = { 'idempotency-key': owner };
    const answers = await Promise.all(Array.from({ length: 8 }, () => send('POST', '', values(), headers)));
    const made = answers.filter(({ status }) => status === 201).map((answer) => answer.json<Key>());
    const [{ secret, ...first } = { id: NaN }, ...others] = made.filter((key) => key.secret !== undefined);
    expect(others).toEqual([]);
    expect(new Set(made.map(({ id }) => id))).toEqual(new Set([first.id]));
    const again = await send('POST', '', values(), headers);
    expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true']);
    const note = `The secret was only in the first response. POST /v1/keys/${first.id}/rotate gives the key a new one.`;
    expect(again.json()).toEqual({ ...first, note });
    expect((await send('POST', '', values({ name: 'Other' }), headers)).json()).toMatchObject({ code: 'idempotency_key_reused' });
    expect(await ids()).toEqual([first.id]);
    expect(await statusWith(secret)).toBe(200);
  });

  it.each<[what: string, method: string, path: string, values: object, message: string]>([
    ['a new key', 'POST', '', { name: ' ' }, 'name must be a string of 1 to 255 Unicode characters, not blank'],
    ['a new key', 'POST', '', { plan: 'enterprise' }, 'limits (perMinute and perDay) are both required'],
    ['a new key', 'POST', '', { limits: { perMinute: 1, perDay: 2 } }, 'are for the plan enterprise only'],
    ['a new key', 'POST', '', { plan: 'enterprise', limits: { perMinute: 1 } }, 'limits must be an object with perMinute and perDay'],
    ['a new key', 'POST', '', { plan: 'enterprise', limits: { perMinute: 1, perDay: 1e9 + 1 } }, 'limits must be'],
    ['a new key', 'POST', '', { scopes: ['pet'] }, 'scopes must be among pets'],
    ['a new key', 'POST', '', { expiresAt: '2026-06-01T12:00:00Z' }, 'expiresAt must be in the future'],
    ['a new key', 'POST', '', { id: 7 }, '"id" is not a field of a new API key'],
    ['a change', 'PATCH', '/ID', { limits: { perMinute: 5 } }, 'are for the plan enterprise only'],
    ['a change', 'PATCH', '/ID', { expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt must be in the future'],
    ['a change', 'PATCH', '/ID', { revokedAt: null }, '"revokedAt" is not a field'],
    ['a ban', 'POST', '/ID/ban', { seconds: 0, reason: 'x' }, 'seconds must be'],
    ['a ban', 'POST', '/ID/ban', { seconds: 60, reason: 'x', until: 'y' }, '"until" is not a field of a ban'],
  ])('is refused with values that break a rule of %s: %s %s %j', async (what, method, path, given, message) => {
    const { id } = what === 'a new key' ? { id: NaN } : await issue();
    const answer = await send(method, path.replace('ID', String(id)), what === 'a new key' ? values(given) : given);
    const errors = expect.any(Array);
    expect(answer.json()).toEqual({ code: 'invalid_request', status: 400, message: expect.stringContaining(message), errors });
    if (what === 'a new key') expect((await send('GET', '?name=website')).json<Key[]>().map((key) => key.owner)).not.toContain(owner);
    else expect(await eventsOf(id)).toHaveLength(1);
  });

  it('lists keys by name in any case, owner, plan and state, which can be combined', async () => {
    const website = await issue({ name: 'Straße 100%_!' });
    const shop = await issue({ name: 'Shop', plan: 'pro' });
    const old = await issue({ name: 'Old shop', expiresAt: after(60_000) });
    const bad = await issue({ name: 'Bad shop' });
    const ended = await issue({ name: 'Ended shop' });
    await issue({ name: 'Shop', owner: owner.toLowerCase(), plan: 'pro' });
    await send('POST', `/${bad.id}/ban`, { seconds: 600, reason: 'Too much.' });
    await send('POST', `/${ended.id}/revoke`);
    service.clock.advance(60_000);
    const found: Readonly<Record<string, readonly Key[]>> = {
      '&name=SHOP': [shop, old, bad, ended],
      '&name=%25_!': [website],
      '&name=STRA%C3%9FE': [website],
      '&plan=pro': [shop],
      '&status=expired': [old],
      '&status=banned': [bad],
      '&status=revoked': [ended],
      '&status=active': [website, shop],
      '&status=active&name=shop': [shop],
    };
    for (const [query, keys] of Object.entries(found)) expect([query, await ids(query)]).toEqual([query, keys.map(({ id }) => id)]);
  });

  it('changes all of a key that it says, in one step, and nothing else', async () => {
    const { id } = await issue();
    const changes = { name: 'Shop', owner: null, plan: 'enterprise', limits: { perMinute: 5, perDay: 50 }, scopes: ['orders'] };
    const answer = await send('PATCH', `/${id}`, { ...changes, expiresAt: '2026-07-01T00:00:00+02:00' });
    expect(answer.json()).toMatchObject({
      ...{ name: 'Shop', plan: 'enterprise', limits: changes.limits, scopes: ['orders'], expiresAt: '2026-06-30T22:00:00.000Z' },
    });
    expect(answer.json()).not.toHaveProperty('owner');
    expect(answer.headers['etag']).toBe((await send('GET', `/${id}`)).headers['etag']);
    expect((await send('PATCH', `/${id}`, { limits: { perDay: 60 } })).json()).toMatchObject({ limits: { perMinute: 5, perDay: 60 } });
    expect((await send('PATCH', `/${id}`, { plan: 'pro', expiresAt: null })).json()).toMatchObject({ limits: { perMinute: 300 } });
    const recorded = ['issued', 'details-changed', 'plan-changed', 'scopes-changed', 'plan-changed', 'details-changed', 'plan-changed'];
    expect(await eventsOf(id)).toEqual(recorded.map((what) => [`api-key-${what}`, `api-key-${manager.id}`]));
  });

  it('bans a key and lifts the ban, and a shorter one changes nothing', async () => {
    const { id, secret } = await issue();
    const banned = (await send('POST', `/${id}/ban`, { seconds: 3_600, reason: 'Your script runs wild.' })).json();
    expect(banned).toMatchObject({ status: 'banned', ban: { until: after(3_600_000), reason: 'Your script runs wild.' } });
    await expectEventually(() => statusWith(secret), 429);
    const shorter = await send('POST', `/${id}/ban`, { seconds: 60, reason: 'Less.' });
    expect(shorter.json()).toEqual(banned);
    expect((await send('POST', `/${id}/unban`)).json()).toMatchObject({ status: 'active' });
    await expectEventually(() => statusWith(secret), 200);
  });

  it('revokes a key permanently, and finds none that does not exist', async () => {
    const { id, secret } = await issue();
    const revoked = (await send('POST', `/${id}/revoke`)).json();
    expect(revoked).toMatchObject({ status: 'revoked', revokedAt: after(0) });
    await expectEventually(() => statusWith(secret), 401);
    for (const [method, path, body, isRefused] of [
      ['GET', '', undefined, false],
      ['GET', '/usage', undefined, false],
      ['POST', '/revoke', undefined, false],
      ['PATCH', '', { name: 'New' }, true],
      ['POST', '/rotate', undefined, true],
      ['POST', '/ban', { seconds: 1, reason: 'Why not?' }, true],
      ['POST', '/unban', undefined, true],
    ] as const) {
      if (isRefused) expect((await send(method, `/${id}${path}`, body)).json()).toMatchObject({ code: 'key_ended', status: 409 });
      expect((await send(method, `/999999${path}`, body)).json()).toMatchObject({ code: 'not_found', status: 404 });
    }
    expect((await send('POST', `/${id}/revoke`)).json()).toEqual(revoked);
    expect((await send('GET', '/x')).json()).toMatchObject({ code: 'invalid_parameter' });
  });
});
