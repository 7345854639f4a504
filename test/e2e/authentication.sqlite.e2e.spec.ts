import { CommandBus } from '@nestjs/cqrs';
import { EventStore } from '#libs/event-sourcing';
import { until } from '#libs/testing';
import { ChangeApiKey } from '../../src/auth/index.js';
import { startService, UNLIMITED, type Service } from './service.fixture.js';

const PETS = '/v1/pets';
const metadata = { actor: 'system' };
const CHALLENGE = 'Bearer realm="adoption"';
const INVALID = 'Bearer realm="adoption", error="invalid_token"';

describe('authentication', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.close());

  const as = (key: string | null, target = PETS) => service.client.get(target, { key });
  const refusal = async (headers: Record<string, string | string[]>) => {
    const { headers: answered, ...answer } = await service.client.get(PETS, { key: null, headers });
    const message = expect.stringContaining('"Authorization: Bearer <API_KEY>"');
    expect(JSON.parse(answer.text)).toEqual({ code: 'unauthorized', message, status: 401 });
    return { message: (JSON.parse(answer.text) as { message: string }).message, challenge: answered['www-authenticate'] };
  };

  it.each(['/v1/', PETS, '/v1/unknown', '/%76%31/pets', '/v1/%zz', `${PETS}?limit=x`, '/graphql'])('is asked for at %s', async (target) => {
    for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS']) {
      const answer = await service.client.send(method, target, { key: null });
      expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, CHALLENGE]);
    }
  });

  it('takes the scheme in any case and nothing but one bearer token, and says with one code what is wrong', async () => {
    const { token } = await service.issueKey();
    for (const authorization of [`bearer ${token}`, `BEARER ${token}`]) {
      expect((await service.client.get(PETS, { key: null, headers: { authorization } })).status).toBe(200);
    }
    expect(await refusal({})).toEqual({ message: expect.stringContaining('There is no API key'), challenge: CHALLENGE });
    const answer = await refusal({ 'X-API-KEY': token });
    expect(answer).toEqual({ message: expect.stringContaining('The header X-API-Key is not read'), challenge: CHALLENGE });
    expect(answer.message).not.toContain(token);
    for (const authorization of [token, `Basic ${token}`, `Bearer${token}`, 'Bearer', '', [`Bearer ${token}`, `Bearer ${token}`]]) {
      const expected = { message: expect.stringContaining('does not hold one bearer token'), challenge: CHALLENGE };
      expect(await refusal({ authorization, 'x-api-key': token })).toEqual(expected);
    }
    const invalid = { message: expect.stringContaining('not valid'), challenge: INVALID };
    expect(await refusal({ authorization: 'Bearer nonsense', 'x-api-key': 'a' })).toEqual(invalid);
  });

  it('gives the same answer for unknown, malformed, mistyped, expired, revoked, rotated and foreign keys', async () => {
    const expiring = await service.issueKey({ expiresAt: new Date(service.clock.now().getTime() + 1_000) });
    const revoked = await service.issueKey(UNLIMITED);
    const rotated = await service.issueKey(UNLIMITED);
    // A new key is admitted at once.
    for (const { token } of [expiring, revoked, rotated]) expect((await as(token)).status).toBe(200);
    const bus = service.app.get(CommandBus);
    await bus.execute(new ChangeApiKey({ type: 'revoke', id: revoked.id }, { metadata }));
    await bus.execute(new ChangeApiKey({ type: 'rotate', id: rotated.id }, { metadata }));
    service.clock.advance(1_000);
    await until(async () => (await as(revoked.token)).status === 401 && (await as(rotated.token)).status === 401);
    const foreign = rotated.token.replace('adopt_dev_', 'adopt_live_');
    const mistyped = expiring.token.slice(0, -1) + (expiring.token.endsWith('a') ? 'b' : 'a');
    const texts = new Set<string>();
    for (const token of [expiring.token, revoked.token, rotated.token, foreign, mistyped, 'nonsense', 'x'.repeat(5_000)]) {
      const answer = await as(token);
      expect(answer.json()).toMatchObject({ code: 'unauthorized', status: 401 });
      expect(answer.headers['www-authenticate']).toBe(INVALID);
      texts.add(answer.text);
    }
    expect(texts.size).toBe(1);
  });

  it('needs a scope, which is in force within a second of its change', async () => {
    const { id, token } = await service.issueKey({ ...UNLIMITED, scopes: ['graphql'] });
    const answer = await as(token, '/v1/unknown');
    expect(answer.json()).toMatchObject({ code: 'insufficient_scope', status: 403, message: expect.stringContaining('pets') });
    expect(answer.headers['www-authenticate']).toContain('error="insufficient_scope"');
    for (const [type, status] of [
      ['add-scope', 200],
      ['remove-scope', 403],
    ] as const) {
      const change = new ChangeApiKey({ type, id, scope: 'pets' }, { metadata });
      await service.app.get(CommandBus).execute(change);
      await until(async () => (await as(token)).status === status);
    }
  });

  it('records who added an animal and with which request', async () => {
    const { id, token } = await service.issueKey();
    const headers = { 'x-request-id': 'request-of-the-shop' };
    const answer = await service.client.post(PETS, { name: 'a', categoryId: 1 }, { key: token, headers });
    const [event] = await service.app.get(EventStore).readAll({ streams: [`pet-${answer.json<{ id: number }>().id}`] });
    expect(event?.metadata).toMatchObject({ actor: `api-key-${id}`, requestId: 'request-of-the-shop' });
    expect(answer.headers['x-request-id']).toBe('request-of-the-shop');
  });
});
