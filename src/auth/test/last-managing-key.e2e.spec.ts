import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { until } from '#libs/testing';
import { startService, UNLIMITED, type Service } from '../../../test/e2e/service.fixture.js';
import { MANAGE_KEYS } from '../domain/api-key.js';
import { ChangeApiKey, GetApiKey } from '../index.js';

const KEYS = '/v1/keys';
const SYSTEM = { metadata: { actor: 'system' } };
const WEAKENINGS = {
  ban: ['POST', '/ban', { seconds: 3_600, reason: 'Test.' }],
  demote: ['PATCH', '', { scopes: ['pets'] }],
  expire: ['PATCH', '', { expiresAt: '2026-06-01T12:01:00Z' }],
  revoke: ['POST', '/revoke', undefined],
} as const;
type Weakening = keyof typeof WEAKENINGS;
const PAIRS = (Object.keys(WEAKENINGS) as Weakening[]).flatMap((one) =>
  (Object.keys(WEAKENINGS) as Weakening[]).map((other): [Weakening, Weakening] => [one, other]),
);

describe('two keys that manage keys', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.close());

  const manager = () => service.issueKey({ ...UNLIMITED, scopes: [MANAGE_KEYS, 'pets'] });
  const weaken = (token: string, target: bigint, weakening: Weakening) => {
    const [method, path, body] = WEAKENINGS[weakening];
    return service.client.send(method, `${KEYS}/${target}${path}`, { key: token, body });
  };
  /** Whether a key can manage keys, and for longer than the minute in which `expire` ends it. */
  const stays = async (id: bigint) => {
    const { revokedAt, expiresAt, lastBan, scopes } = await service.app.get(QueryBus).execute(new GetApiKey(id));
    return revokedAt === null && expiresAt === null && lastBan === undefined && scopes.includes(MANAGE_KEYS);
  };

  it.each(PAIRS)('that %s and %s each other at the same moment leave one of them', async (one, other) => {
    const [first, second] = [await manager(), await manager()];
    const answers = await Promise.all([weaken(first.token, second.id, one), weaken(second.token, first.id, other)]);
    expect(answers.map(({ status }) => status)).toContain(200);
    expect(await Promise.all([stays(first.id), stays(second.id)])).toContain(true);
    for (const { id } of [first, second]) await service.app.get(CommandBus).execute(new ChangeApiKey({ type: 'revoke', id }, SYSTEM));
  });

  it('may let the other one last longer, however soon the one that does it ends', async () => {
    const scopes = [MANAGE_KEYS, 'pets'];
    const first = await service.issueKey({ ...UNLIMITED, scopes, expiresAt: new Date('2026-06-01T13:00:00Z') });
    const second = await service.issueKey({ ...UNLIMITED, scopes, expiresAt: new Date('2026-06-01T14:00:00Z') });
    const answer = await service.client.send('PATCH', `${KEYS}/${second.id}`, { key: first.token, body: { expiresAt: null } });
    expect(answer.status).toBe(200);
  });
});

describe('the secret of a key that was rotated', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.close());

  it('rotates no key in its grace, so that who has it cannot lock out the holder of the new one', async () => {
    const { id, token } = await service.issueKey({ ...UNLIMITED, scopes: [MANAGE_KEYS, 'pets'] });
    const rotate = (path: string, key: string) => service.client.send('POST', path, { key });
    const rotated = await rotate('/v1/key/rotate', token);
    // An instance learns of a rotation within half a second.
    await until(async () => (await rotate(`${KEYS}/${id + 1n}/rotate`, token)).json()['code'] === 'conflict');
    for (const path of ['/v1/key/rotate', `${KEYS}/${id}/rotate`]) {
      expect((await rotate(path, token)).json()).toMatchObject({
        code: 'conflict',
        status: 409,
        message: expect.stringContaining('was replaced'),
      });
    }
    expect((await service.client.get('/v1/pets', { key: token })).status).toBe(200);
    expect((await rotate('/v1/key/rotate', rotated.json<{ secret: string }>().secret)).status).toBe(200);
  });
});
