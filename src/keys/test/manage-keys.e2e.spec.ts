import { EventStore } from '#libs/event-sourcing';
import { expectEventually } from '#libs/testing';
import { startService, UNLIMITED, type Service } from '../../../test/e2e/service.fixture.js';

const KEYS = '/v1/keys';
const NEW = { name: 'Website', owner: 'Happy Paws', scopes: ['pets'] };

type Key = Readonly<Record<string, unknown>> & { readonly id: number; readonly secret?: string };

describe('a key that manages keys', () => {
  let service: Service;
  let manager: { readonly id: bigint; readonly token: string };
  beforeEach(async () => {
    service = await startService();
    manager = await service.issueKey({ ...UNLIMITED, name: 'Operator', scopes: ['keys:manage', 'pets', 'orders'] });
  });
  afterEach(() => service.close());

  const send = (method: string, target: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
    service.client.send(method, `${KEYS}${target}`, { key: manager.token, body, headers });
  const issue = async (values: object = {}) => (await send('POST', '', { ...NEW, ...values })).json<Key>();
  const get = async (id: number) => (await send('GET', `/${id}`)).json<Key>();
  const ids = async (query: string) => (await send('GET', query)).json<Key[]>().map(({ id }) => id);
  const statusWith = async (token: string | undefined) => (await service.client.get('/v1/pets', { key: token ?? null })).status;
  const eventsOf = async (id: number) => {
    const events = await service.app.get(EventStore).readStream(`api-key-${id}`);
    return events.map(({ type, metadata }) => [type, metadata.actor]);
  };

  describe('issues a key', () => {
    it('that works at once, and shows its secret this once', async () => {
      const answer = await send('POST', '', { ...NEW, expiresAt: '2026-06-02T12:00:00Z' });
      const { secret, ...key } = answer.json<Key>();
      expect([answer.status, answer.headers['location']]).toEqual([201, `${KEYS}/${key.id}`]);
      expect(key).toEqual({
        ...{ id: key.id, ...NEW, keyStart: secret?.split('_')[2]?.slice(0, 4), plan: 'free', limits: { perMinute: 60, perDay: 1_000 } },
        ...{ status: 'active', createdAt: '2026-06-01T12:00:00.000Z', expiresAt: '2026-06-02T12:00:00.000Z' },
      });
      expect(await statusWith(secret)).toBe(200);
      expect(await get(key.id)).toEqual(key);
      expect(await eventsOf(key.id)).toEqual([['api-key-issued', `api-key-${manager.id}`]]);
    });

    it('once for an idempotency key: a repeat shows no secret and says how to get another one', async () => {
      const headers = { 'idempotency-key': 'first' };
      const { secret, ...first } = (await send('POST', '', NEW, headers)).json<Key>();
      const again = await send('POST', '', NEW, headers);
      expect([again.status, again.headers['idempotency-replayed']]).toEqual([201, 'true']);
      const note = `The secret was only in the first response. POST /v1/keys/${first.id}/rotate gives the key a new one.`;
      expect(again.json()).toEqual({ ...first, note });
      expect((await send('POST', '', { ...NEW, name: 'Other' }, headers)).json()).toMatchObject({ code: 'idempotency_key_reused' });
      expect(await ids('?name=website')).toEqual([first.id]);
      expect(await statusWith(secret)).toBe(200);
    });

    it('once for overlapping requests with one idempotency key', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => send('POST', '', NEW, { 'idempotency-key': 'same' })));
      const made = answers.filter(({ status }) => status === 201).map((answer) => answer.json<Key>());
      expect(made.filter(({ secret }) => secret !== undefined)).toHaveLength(1);
      expect(new Set(made.map(({ id }) => id)).size).toBe(1);
      expect(await ids('?owner=Happy%20Paws')).toHaveLength(1);
    });

    it('but not with values that break a rule', async () => {
      const refused: readonly (readonly [object, string])[] = [
        [{ name: ' ' }, 'name must be a string of 1 to 255 Unicode characters, not blank'],
        [{ owner: '' }, 'owner must be a string'],
        [{ owner: 'x'.repeat(256) }, 'owner must be a string'],
        [{ owner: null }, 'owner must be a string'],
        [{ plan: 'gold' }, 'plan must be one of free, pro, business, enterprise'],
        [{ plan: 'enterprise' }, 'limits (perMinute and perDay) are both required'],
        [{ limits: { perMinute: 1, perDay: 2 } }, 'limits (perMinute and perDay) are for the plan enterprise only'],
        [{ plan: 'enterprise', limits: { perMinute: 1 } }, 'limits must be an object with perMinute and perDay'],
        [{ plan: 'enterprise', limits: { perMinute: 1, perDay: 1.5 } }, 'limits must be'],
        [{ plan: 'enterprise', limits: { perMinute: 1, perDay: 2, perYear: 3 } }, 'limits must be'],
        [{ plan: 'enterprise', limits: [1, 2] }, 'limits must be'],
        [{ scopes: [] }, 'scopes must be an array of scopes'],
        [{ scopes: ['pets', 'pets'] }, 'scopes must be an array of scopes'],
        [{ scopes: ['pet'] }, 'scopes must be among pets'],
        [{ scopes: 'pets' }, 'scopes must be an array of scopes'],
        [{ expiresAt: 'tomorrow' }, 'expiresAt must be a time'],
        [{ expiresAt: '2026-06-01T12:00:00Z' }, 'expiresAt must be in the future'],
        [{ id: 7 }, '"id" is not a field of a new API key'],
      ];
      for (const [values, message] of refused) {
        const answer = await send('POST', '', { ...NEW, ...values });
        expect([values, answer.json()]).toEqual([
          values,
          { code: 'invalid_request', status: 400, message: expect.stringContaining(message), errors: expect.any(Array) },
        ]);
        expect(await ids('?owner=Happy%20Paws')).toEqual([]);
      }
    });
  });

  describe('lists keys', () => {
    it('by name in any case, owner, plan and state, which can be combined', async () => {
      const website = await issue({ name: 'Straße 100%_!' });
      const shop = await issue({ name: 'Shop', owner: 'Cats & Co.', plan: 'pro' });
      const old = await issue({ name: 'Old shop', expiresAt: '2026-06-01T12:01:00Z' });
      const bad = await issue({ name: 'Bad shop' });
      const ended = await issue({ name: 'Ended shop' });
      await send('POST', `/${bad.id}/ban`, { seconds: 600, reason: 'Too much.' });
      await send('POST', `/${ended.id}/revoke`);
      service.clock.advance(60_000);
      const found: Readonly<Record<string, readonly Key[]>> = {
        '?name=SHOP': [shop, old, bad, ended],
        '?name=%25_!': [website],
        '?name=STRA%C3%9FE': [website],
        '?owner=Cats%20%26%20Co.': [shop],
        '?owner=cats': [],
        '?plan=pro': [shop],
        '?status=expired': [old],
        '?status=banned': [bad],
        '?status=revoked': [ended],
        '?status=active&owner=Happy%20Paws': [website],
        '?status=active&name=shop': [shop],
      };
      for (const [query, keys] of Object.entries(found)) expect([query, await ids(query)]).toEqual([query, keys.map(({ id }) => id)]);
    });

    it('page by page, each key once, with an entity tag', async () => {
      for (let count = 0; count < 5; count += 1) await issue();
      const first = await send('GET', '?owner=Happy%20Paws&limit=3');
      const next = /<([^>]*)>; rel="next"/.exec(String(first.headers['link']))?.[1] ?? '';
      const second = await service.client.get(next, { key: manager.token });
      expect([...first.json<Key[]>(), ...second.json<Key[]>()].map(({ id }) => id)).toEqual(await ids('?owner=Happy%20Paws'));
      expect(second.headers['link']).toBeUndefined();
      const cursor = new URLSearchParams(next.split('?')[1]).get('cursor') ?? '';
      expect((await send('GET', `?owner=Other&cursor=${cursor}`)).json()).toMatchObject({ code: 'invalid_parameter' });
      expect((await send('GET', '?owner=Happy%20Paws&limit=3', undefined, { 'if-none-match': String(first.headers['etag']) })).status).toBe(
        304,
      );
    });

    it('that have used more than a share of their day', async () => {
      const busy = await issue({ plan: 'enterprise', limits: { perMinute: 10, perDay: 10 } });
      const idle = await issue();
      for (let count = 0; count < 8; count += 1) expect(await statusWith(busy.secret)).toBe(200);
      expect(await statusWith(idle.secret)).toBe(200);
      await expectEventually(() => ids('?usedAbove=79'), [busy.id]);
      expect(await ids('?usedAbove=80')).toEqual([]);
      expect(await ids(`?usedAbove=0&name=website&limit=100`)).toEqual([busy.id, idle.id]);
      const page = await send('GET', '?usedAbove=0&name=website&limit=1');
      const next = /<([^>]*)>; rel="next"/.exec(String(page.headers['link']))?.[1] ?? '';
      expect((await service.client.get(next, { key: manager.token })).json<Key[]>().map(({ id }) => id)).toEqual([idle.id]);
    });

    it('but not with parameters that break a rule', async () => {
      const refused = [
        '?status=gone',
        '?plan=gold',
        '?owner=',
        '?name=',
        '?usedAbove=100',
        '?usedAbove=-1',
        '?usedAbove=1.5',
        '?limit=0',
        '?size=1',
      ];
      for (const query of refused) {
        const { code } = (await send('GET', query)).json();
        expect([query, code]).toEqual([query, 'invalid_parameter']);
      }
    });
  });

  describe('changes a key', () => {
    it('all that it says, in one step, and nothing else', async () => {
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
      expect(await eventsOf(id)).toEqual(
        ['issued', 'details-changed', 'plan-changed', 'scopes-changed', 'plan-changed', 'details-changed', 'plan-changed'].map((what) => [
          `api-key-${what}`,
          `api-key-${manager.id}`,
        ]),
      );
    });

    it('as merge patch too, and records nothing that is so already', async () => {
      const { id, secret: _, ...key } = await issue({ expiresAt: '2026-07-01T00:00:00Z' });
      const { name, owner, plan, scopes, expiresAt } = key;
      const same = { name, owner, plan, scopes, expiresAt };
      const answer = await send('PATCH', `/${id}`, same, { 'content-type': 'application/merge-patch+json' });
      expect(answer.json()).toEqual({ id, ...key });
      expect(await eventsOf(id)).toHaveLength(1);
    });

    it('if it is as it was read', async () => {
      const { id } = await issue();
      const etag = String((await send('GET', `/${id}`)).headers['etag']);
      const change = (name: string) => send('PATCH', `/${id}`, { name }, { 'if-match': etag });
      const answers = await Promise.all(['A', 'B', 'C'].map(change));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412]);
      expect((await send('POST', `/${id}/revoke`, undefined, { 'if-match': etag })).json()).toMatchObject({ code: 'precondition_failed' });
      expect(await get(id)).toMatchObject({ status: 'active' });
    });

    it('but not to values that break a rule', async () => {
      const refused: readonly (readonly [object, string])[] = [
        [{ name: null }, 'name must be'],
        [{ plan: null }, 'plan must be'],
        [{ limits: {}, plan: 'pro', scopes: [] }, 'scopes must be'],
        [{ limits: { perMinute: 5 } }, 'limits (perMinute and perDay) are for the plan enterprise only'],
        [{ expiresAt: '2020-01-01T00:00:00Z' }, 'expiresAt must be in the future'],
        [{ scopes: ['nothing'] }, 'scopes must be among'],
        [{ revokedAt: null }, '"revokedAt" is not a field'],
      ];
      const { id } = await issue();
      for (const [changes, message] of refused) {
        const answer = await send('PATCH', `/${id}`, changes);
        expect([changes, answer.json()]).toEqual([
          changes,
          { code: 'invalid_request', status: 400, message: expect.stringContaining(message), errors: expect.any(Array) },
        ]);
        expect(await eventsOf(id)).toHaveLength(1);
      }
    });
  });

  it('rotates a key with a grace', async () => {
    const { id, secret } = await issue();
    const rotated = (await send('POST', `/${id}/rotate?grace=1m`)).json<Key>();
    expect([await statusWith(secret), await statusWith(rotated.secret)]).toEqual([200, 200]);
    service.clock.advance(60_000);
    expect([await statusWith(secret), await statusWith(rotated.secret)]).toEqual([401, 200]);
  });

  it('revokes a key permanently', async () => {
    const { id, secret } = await issue();
    const revoked = (await send('POST', `/${id}/revoke`)).json();
    expect(revoked).toMatchObject({ status: 'revoked', revokedAt: '2026-06-01T12:00:00.000Z' });
    await expectEventually(() => statusWith(secret), 401);
    expect((await send('POST', `/${id}/revoke`)).json()).toEqual(revoked);
    for (const [method, path, body] of [
      ['PATCH', '', { name: 'New' }],
      ['POST', '/rotate', undefined],
      ['POST', '/ban', { seconds: 1, reason: 'Why not?' }],
      ['POST', '/unban', undefined],
    ] as const) {
      expect((await send(method, `/${id}${path}`, body)).json()).toMatchObject({ code: 'key_ended', status: 409 });
    }
  });

  it('bans a key and lifts the ban', async () => {
    const { id, secret } = await issue();
    const banned = (await send('POST', `/${id}/ban`, { seconds: 3_600, reason: 'Your script runs wild.' })).json();
    expect(banned).toMatchObject({ status: 'banned', ban: { until: '2026-06-01T13:00:00.000Z', reason: 'Your script runs wild.' } });
    await expectEventually(() => statusWith(secret), 429);
    const shorter = await send('POST', `/${id}/ban`, { seconds: 60, reason: 'Less.' });
    expect(shorter.json()).toEqual(banned);
    expect((await send('POST', `/${id}/unban`)).json()).toMatchObject({ status: 'active' });
    await expectEventually(() => statusWith(secret), 200);
  });

  it('does not ban with values that break a rule', async () => {
    const refused: readonly (readonly [object, string])[] = [
      [{}, 'seconds is missing: it must be a whole number of seconds from 1 to 31536000; reason is missing: it must be a string'],
      [{ seconds: 0, reason: 'x' }, 'seconds must be'],
      [{ seconds: '60', reason: 'x' }, 'seconds must be'],
      [{ seconds: 60, reason: '' }, 'reason must be'],
      [{ seconds: 60, reason: 'x', until: 'y' }, '"until" is not a field of a ban'],
    ];
    const { id } = await issue();
    for (const [values, message] of refused) {
      const answer = await send('POST', `/${id}/ban`, values);
      expect([values, answer.json()]).toEqual([
        values,
        { code: 'invalid_request', status: 400, message: expect.stringContaining(message), errors: expect.any(Array) },
      ]);
    }
  });

  it('finds no key that does not exist', async () => {
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['GET', '/usage', undefined],
      ['PATCH', '', { name: 'New' }],
      ['POST', '/rotate', undefined],
      ['POST', '/revoke', undefined],
      ['POST', '/ban', { seconds: 1, reason: 'Why not?' }],
      ['POST', '/unban', undefined],
    ] as const) {
      expect((await send(method, `/999${path}`, body)).json()).toMatchObject({ code: 'not_found', status: 404 });
    }
    expect((await send('GET', '/x')).json()).toMatchObject({ code: 'invalid_parameter' });
  });
});
