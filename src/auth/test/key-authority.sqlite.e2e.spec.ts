import { CommandBus } from '@nestjs/cqrs';
import fc from 'fast-check';
import { startService, UNLIMITED, type Service } from '../../../test/e2e/service.fixture.js';
import { ChangeApiKey } from '../index.js';

const KEYS = '/v1/keys';
const SCOPES = ['keys:manage', 'pets', 'pets:write', 'orders', 'orders:all', 'events'];

interface Key {
  readonly id: number;
  readonly scopes: readonly string[];
  readonly plan: string;
  readonly limits: object;
  readonly status: string;
  readonly expiresAt?: string;
  readonly secret?: string;
}

describe('no key', () => {
  let service: Service;
  beforeEach(async () => (service = await startService()));
  afterEach(() => service.close());

  const ask = (token: string, method: string, target: string, body?: unknown) =>
    service.client.send(method, `${KEYS}${target}`, { key: token, body });
  const manager = (scopes: readonly string[], values: object = {}) =>
    service.issueKey({ ...UNLIMITED, scopes: ['keys:manage', ...scopes], ...values });

  it('changes its own scopes, plan, limits or end', async () => {
    const { id, token } = await manager(['pets', 'orders'], { expiresAt: new Date('2026-07-01T00:00:00Z') });
    await manager([]);
    for (const changes of [
      { scopes: ['keys:manage'] },
      { plan: 'business' },
      { limits: { perDay: 7 } },
      { expiresAt: '2026-08-01T00:00:00Z' },
      { expiresAt: null },
    ]) {
      expect((await ask(token, 'PATCH', `/${id}`, changes)).json()).toMatchObject({
        code: 'insufficient_scope',
        message: `API key ${id} cannot change its own scopes, plan or limits, or extend its expiry; use another key with the scope keys:manage.`,
      });
    }
    expect((await ask(token, 'PATCH', `/${id}`, { name: 'Me', expiresAt: '2026-06-02T00:00:00Z' })).status).toBe(200);
  });

  it('learns the secret of a key that may do more, or lets such a key last longer', async () => {
    const { token } = await manager(['pets']);
    const other = await service.issueKey({ scopes: ['pets', 'orders'], expiresAt: new Date('2026-06-02T00:00:00Z') });
    expect((await ask(token, 'POST', `/${other.id}/rotate`)).json()).toMatchObject({ code: 'insufficient_scope' });
    expect((await ask(token, 'PATCH', `/${other.id}`, { expiresAt: null })).json()).toMatchObject({ code: 'insufficient_scope' });
    expect((await ask(token, 'PATCH', `/${other.id}`, { scopes: ['pets'] })).status).toBe(200);
    expect((await ask(token, 'POST', `/${other.id}/rotate`)).status).toBe(200);
  });

  it('ends or weakens itself if no other key in use manages keys', async () => {
    const { id, token } = await manager(['pets']);
    const expired = await manager([], { expiresAt: new Date('2026-06-01T12:01:00Z') });
    const banned = await manager([]);
    expect((await ask(token, 'POST', `/${banned.id}/ban`, { seconds: 600, reason: 'Test.' })).status).toBe(200);
    service.clock.advance(60_000);
    const weaken = async () => [
      (await ask(token, 'PATCH', `/${id}`, { expiresAt: '2026-06-02T00:00:00Z' })).json()['code'],
      (await ask(token, 'POST', `/${id}/ban`, { seconds: 1, reason: 'Test.' })).json()['code'],
      (await ask(token, 'POST', `/${id}/revoke`)).json()['code'],
    ];
    expect(await weaken()).toEqual(['last_managing_key', 'last_managing_key', 'last_managing_key']);
    expect((await ask(token, 'POST', `/${expired.id}/revoke`)).status).toBe(200);
    expect((await ask(token, 'POST', `/${banned.id}/unban`)).status).toBe(200);
    expect((await ask(token, 'POST', `/${id}/revoke`)).status).toBe(200);
    expect((await ask(banned.token, 'POST', `/${banned.id}/revoke`)).json()).toMatchObject({ code: 'last_managing_key', status: 409 });
  });

  it('is the last to go when several revoke themselves, or each other, at once', async () => {
    const managers = await Promise.all(Array.from({ length: 4 }, () => manager([])));
    const answers = await Promise.all(managers.map(({ id, token }) => ask(token, 'POST', `/${id}/revoke`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 409]);
    const more = await Promise.all(Array.from({ length: 2 }, () => manager([])));
    const [one, two] = more;
    await Promise.all([ask(one?.token ?? '', 'POST', `/${two?.id}/revoke`), ask(two?.token ?? '', 'POST', `/${one?.id}/revoke`)]);
    const { token } = await manager([]);
    const states = await Promise.all(more.map(async ({ id }) => (await ask(token, 'GET', `/${id}`)).json<Key>().status));
    expect(states.sort()).toEqual(['active', 'revoked']);
  });

  it('acts with scopes that it lost while it asked', async () => {
    const { id, token } = await manager(['pets']);
    expect((await ask(token, 'GET', '')).status).toBe(200);
    const change = new ChangeApiKey({ type: 'remove-scope', id, scope: 'pets' }, { metadata: { actor: 'system' } });
    await service.app.get(CommandBus).execute(change);
    // Authentication may still know it with the scope.
    expect((await ask(token, 'POST', '', { name: 'New', scopes: ['pets'] })).json()).toMatchObject({ code: 'insufficient_scope' });
  });

  it('ends with more than its maker had, whatever several keys do', async () => {
    const scopes = fc.uniqueArray(fc.constantFrom(...SCOPES), { minLength: 1, maxLength: 3 });
    const command = fc.record({
      by: fc.nat(5),
      on: fc.nat(5),
      what: fc.constantFrom('issue', 'scopes', 'plan', 'end', 'rotate', 'revoke', 'ban', 'unban'),
      scopes,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 4, maxLength: 10 }), async (commands) => {
        // Reads what the keys of the property have become, and is no target of theirs.
        const observer = await manager([]);
        // By their secrets, as those know who hold them.
        const makers = [await manager(SCOPES.slice(1)), await manager(['pets']), await manager(['orders:all', 'events'])];
        const held = makers.map(({ id, token }) => ({ id: Number(id), token }));
        const read = async (id: number) => (await ask(observer.token, 'GET', `/${id}`)).json<Key>();
        for (const { by, on, what, scopes: wanted } of commands) {
          const asking = held[by % held.length];
          const target = held[on % held.length];
          if (!asking || !target) continue;
          const [askingBefore, before] = [await read(asking.id), await read(target.id)];
          const bodies: Readonly<Record<string, readonly [string, string, unknown]>> = {
            issue: ['POST', '', { name: 'New', scopes: wanted }],
            scopes: ['PATCH', `/${target.id}`, { scopes: wanted }],
            plan: ['PATCH', `/${target.id}`, { plan: 'pro' }],
            end: ['PATCH', `/${target.id}`, { expiresAt: '2026-07-01T00:00:00Z' }],
            ban: ['POST', `/${target.id}/ban`, { seconds: 1, reason: 'Test.' }],
          };
          const [method, path, body] = bodies[what] ?? ['POST', `/${target.id}/${what}`, undefined];
          const answer = await ask(asking.token, method, path, body);
          expect(answer.status).toBeLessThan(500);
          const isDone = answer.status < 300;
          if (isDone && what === 'issue') {
            const { id, secret = '', scopes: given } = answer.json<Key>();
            expectWithin(given, askingBefore);
            held.push({ id, token: secret });
            continue;
          }
          const after = await read(target.id);
          expectWithin(
            after.scopes.filter((scope) => !before.scopes.includes(scope)),
            askingBefore,
          );
          if (isDone && what === 'rotate') {
            expectWithin(after.scopes, askingBefore);
            target.token = answer.json<Key>().secret ?? '';
          }
          if (asking.id === target.id) {
            expect([after.scopes, after.plan, after.limits]).toEqual([before.scopes, before.plan, before.limits]);
          }
        }
      }),
      { numRuns: 12 },
    );
  });
});

/** A key that has a scope has what it includes, too. */
function expectWithin(scopes: readonly string[], { scopes: had }: Key): void {
  const included = had.includes('orders:all') ? [...had, 'orders'] : had;
  expect(included).toEqual(expect.arrayContaining([...scopes]));
}
