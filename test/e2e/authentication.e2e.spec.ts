import { createHash, randomBytes } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { Database, identifier, sql } from '#libs/database';
import { EventStore } from '#libs/event-sourcing';
import { until } from '#libs/testing';
import { ChangeApiKey, RotateApiKey } from '../../src/auth/index.js';
import { API_KEY_SECRETS_TABLE } from './read-model-tables.fixture.js';
import { startService, UNLIMITED, type Service } from './service.fixture.js';

const metadata = { actor: 'system' };
const CHALLENGE = 'Bearer realm="adoption"';
const INVALID = 'Bearer realm="adoption", error="invalid_token"';

describe('authentication', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.close());

  const as = (key: string | null, target = '/v1/pets') => service.client.get(target, { key });
  const withHeader = (authorization: string | string[]) => service.client.get('/v1/pets', { key: null, headers: { authorization } });
  const expectRefused = async (token: string) => {
    const answer = await as(token);
    expect(answer.json()).toMatchObject({ code: 'unauthorized', status: 401 });
    expect(answer.headers['www-authenticate']).toBe(INVALID);
    return answer.text;
  };
  it.each(['/v1', '/v1/', '/v1/pets', '/v1/pets/1', '/v1/unknown', '/%76%31/pets', '/v1/%zz', '/v1/pets?limit=x', '/graphql'])(
    'is asked for at %s, whether it exists or not',
    async (target) => {
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
        const answer = await service.client.send(method, target, { key: null });
        expect(answer.status).toBe(401);
        expect(answer.headers['www-authenticate']).toBe(CHALLENGE);
      }
    },
  );

  it.each(['/docs', '/openapi.json'])('is not asked for at %s', async (target) => {
    expect((await as(null, target)).status).toBe(200);
  });

  it('takes the scheme in any case and nothing but bearer', async () => {
    const { token } = await service.issueKey();
    expect((await withHeader(`bearer ${token}`)).status).toBe(200);
    expect((await withHeader(`BEARER ${token}`)).status).toBe(200);
    for (const other of [token, `Basic ${token}`, `Bearer${token}`, 'Bearer', '']) expect((await withHeader(other)).status).toBe(401);
    expect((await withHeader([`Bearer ${token}`, `Bearer ${token}`])).status).toBe(401);
  });

  describe('says with one code what is wrong', () => {
    const NAMED = '"Authorization: Bearer <API_KEY>"';
    const refusal = async (headers: Record<string, string | string[]>) => {
      const { headers: answered, ...answer } = await service.client.get('/v1/pets', { key: null, headers });
      expect(JSON.parse(answer.text)).toEqual({ code: 'unauthorized', message: expect.stringContaining(NAMED), status: 401 });
      return { message: (JSON.parse(answer.text) as { message: string }).message, challenge: answered['www-authenticate'] };
    };

    it('where nothing was sent, also where it was sent in another header, which is named', async () => {
      expect(await refusal({})).toEqual({ message: expect.stringContaining('There is no API key'), challenge: CHALLENGE });
      for (const name of ['X-API-Key', 'Api-Key', 'apikey']) {
        const { token } = await service.issueKey();
        const answer = await refusal({ [name.toUpperCase()]: token });
        expect(answer).toEqual({ message: expect.stringContaining(`The header ${name} is not read`), challenge: CHALLENGE });
        expect(answer.message).not.toContain(token);
      }
    });

    it('where it was no bearer token, whatever else was sent', async () => {
      const { token } = await service.issueKey();
      const expected = { message: expect.stringContaining('does not hold one bearer token'), challenge: CHALLENGE };
      for (const authorization of [token, `Basic ${token}`, 'Bearer', '', [`Bearer ${token}`, `Bearer ${token}`]]) {
        expect(await refusal({ authorization, 'x-api-key': token })).toEqual(expected);
      }
    });

    it('where it is not valid, whatever else was sent', async () => {
      const expected = { message: expect.stringContaining('not valid'), challenge: INVALID };
      expect(await refusal({ authorization: 'Bearer nonsense', 'x-api-key': 'a' })).toEqual(expected);
    });
  });

  it('gives the same answer for unknown, malformed, mistyped, expired, revoked, rotated and foreign keys', async () => {
    const expiring = await service.issueKey({ expiresAt: new Date(service.clock.now().getTime() + 1_000) });
    const revoked = await service.issueKey(UNLIMITED);
    const rotated = await service.issueKey(UNLIMITED);
    for (const { token } of [expiring, revoked, rotated]) expect((await as(token)).status).toBe(200);
    const bus = service.app.get(CommandBus);
    await bus.execute(new ChangeApiKey({ type: 'revoke', id: revoked.id }, { metadata }));
    await bus.execute(new RotateApiKey({ id: rotated.id, metadata }));
    service.clock.advance(1_000);
    await until(async () => (await as(revoked.token)).status === 401 && (await as(rotated.token)).status === 401);
    const foreign = rotated.token.replace('adopt_dev_', 'adopt_live_');
    const mistyped = expiring.token.slice(0, -1) + (expiring.token.endsWith('a') ? 'b' : 'a');
    const bodies = [];
    for (const token of [expiring.token, revoked.token, rotated.token, foreign, mistyped, 'nonsense', 'x'.repeat(5_000)]) {
      bodies.push(await expectRefused(token));
    }
    expect(new Set(bodies).size).toBe(1);
  });

  it('admits a new key at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { token } = await service.issueKey();
      expect((await as(token)).status).toBe(200);
    }
  });

  it('lets exactly one old secret live through a rotation with grace', async () => {
    const { id, token } = await service.issueKey(UNLIMITED);
    const rotate = async (grace?: number) => (await service.app.get(CommandBus).execute(new RotateApiKey({ id, grace, metadata }))).key;
    const second = await rotate(60_000);
    expect((await as(token)).status).toBe(200);
    expect((await as(second)).status).toBe(200);
    const third = await rotate(60_000);
    await until(async () => (await as(token)).status === 401);
    expect((await as(second)).status).toBe(200);
    expect((await as(third)).status).toBe(200);
    service.clock.advance(60_000);
    await until(async () => (await as(second)).status === 401);
    expect((await as(third)).status).toBe(200);
  });

  it('needs the scope pets for REST and says which one is missing', async () => {
    const { token } = await service.issueKey({ scopes: ['graphql'] });
    const answer = await as(token, '/v1/unknown');
    expect(answer.json()).toMatchObject({ code: 'insufficient_scope', status: 403, message: expect.stringContaining('pets') });
    expect(answer.headers['www-authenticate']).toContain('error="insufficient_scope"');
    const both = await service.issueKey({ scopes: ['graphql', 'pets'] });
    expect((await as(both.token)).status).toBe(200);
  });

  it('stores nothing of a key but its SHA-256, and shows not even that in the log of events', async () => {
    const { token } = await service.issueKey();
    const secret = token.split('_')[2] ?? '';
    const rows = await service.app
      .get(Database)
      .reader.query<{ hash: string }>(sql`SELECT "hash" FROM ${identifier(API_KEY_SECRETS_TABLE)}`);
    expect(rows.map(({ hash }) => hash)).toContain(createHash('sha256').update(token).digest('hex'));
    const events = await service.app.get(EventStore).readAll({ limit: 1_000 });
    expect(JSON.stringify(events, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))).not.toContain(secret);
  });

  it('records who added an animal and with which request', async () => {
    const { id, token } = await service.issueKey();
    const requestId = `test-${randomBytes(4).toString('hex')}`;
    const answer = await service.client.post(
      '/v1/pets',
      { name: 'a', categoryId: 1 },
      { key: token, headers: { 'x-request-id': requestId } },
    );
    const [event] = await service.app.get(EventStore).readStream(`pet-${answer.json<{ id: number }>().id}`);
    expect(event?.metadata).toMatchObject({ actor: `api-key-${id}`, requestId });
    expect(answer.headers['x-request-id']).toBe(requestId);
  });
});
