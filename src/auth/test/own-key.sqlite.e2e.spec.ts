import { CommandBus } from '@nestjs/cqrs';
import { expectEventually } from '#libs/testing';
import { startService, UNLIMITED, type Service } from '../../../test/e2e/service.fixture.js';
import { ChangeApiKey } from '../commands/change-api-key.command.js';

const KEY = '/v1/key';

describe('the key of a request', () => {
  let service: Service;
  let key: { readonly id: bigint; readonly token: string };
  beforeAll(async () => (service = await startService()));
  beforeEach(async () => {
    service.clock.set('2026-06-01T12:00:00.000Z');
    const values = { name: 'Shop', owner: 'Happy Paws', scopes: ['events'], expiresAt: new Date('2026-06-02T12:00:00.000Z') };
    key = await service.issueKey({ ...values, plan: 'enterprise', perMinute: 3, perDay: 9 });
  });
  afterAll(() => service.close());

  const get = (token = key.token) => service.client.get(KEY, { key: token });
  const rotate = (query: string, token = key.token) => service.client.send('POST', `${KEY}/rotate${query}`, { key: token });
  const ban = (seconds: number, reason: string) =>
    service.app.get(CommandBus).execute(new ChangeApiKey({ type: 'ban', id: key.id, seconds, reason }, { metadata: { actor: 'system' } }));

  it('shows itself and its remaining requests, this one included', async () => {
    await get();
    expect((await get()).json()).toEqual({
      ...{ id: Number(key.id), name: 'Shop', owner: 'Happy Paws', plan: 'enterprise', scopes: ['events'] },
      ...{ createdAt: '2026-06-01T12:00:00.000Z', expiresAt: '2026-06-02T12:00:00.000Z', lastUsedAt: '2026-06-01T12:00:00.000Z' },
      limits: {
        minute: { limit: 3, remaining: 1, resetAt: '2026-06-01T12:01:00.000Z' },
        day: { limit: 9, remaining: 7, resetAt: '2026-06-02T00:00:00.000Z' },
      },
    });
  });

  it('is answered once a second while an operator has banned it, and told why, without a longer ban', async () => {
    await ban(100, 'Your script runs wild.');
    service.clock.advance(1_000);
    const told = await get();
    expect(told.json()).toMatchObject({ ban: { until: '2026-06-01T12:01:40.000Z', reason: 'Your script runs wild.' } });
    expect(told.headers['ratelimit']).toContain('"ban";r=0;t=99');
    const refused = await get();
    expect(refused.json()).toEqual({
      code: 'key_banned',
      message: 'This API key is banned for 99 s. The operator says: Your script runs wild.',
      status: 429,
    });
    expect((await service.client.get('/v1/events', { key: key.token })).status).toBe(429);
    service.clock.advance(1_000);
    expect([(await get()).status, (await get()).status]).toEqual([200, 429]);
    service.clock.advance(97_999);
    expect((await get()).json()).toMatchObject({ ban: { until: '2026-06-01T12:01:40.000Z' } });
    service.clock.advance(1);
    expect((await get()).json()).not.toHaveProperty('ban');
  });

  it('gets a new secret, beside which the old one works until the grace is over', async () => {
    key = await service.issueKey({ ...UNLIMITED, scopes: ['events'] });
    const rotated = await rotate('?grace=2m');
    const { secret } = rotated.json<{ secret: string }>();
    expect(rotated.status).toBe(200);
    expect(rotated.json()).toMatchObject({ id: Number(key.id), previousSecretValidUntil: '2026-06-01T12:02:00.000Z' });
    service.clock.advance(119_999);
    expect([(await get()).status, (await get(secret)).status]).toEqual([200, 200]);
    service.clock.advance(1);
    await expectEventually(async () => [(await get()).status, (await get(secret)).status], [401, 200]);
  });
});
