import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ChangeApiKey, GetApiKey } from '../../src/auth/index.js';
import type { Answer } from './api-client.fixture.js';
import { exchangeRaw, toldLimits } from './rate-limit.fixture.js';
import { startService, type Service } from './service.fixture.js';

const PETS = '/v1/pets';

describe('the limits of a plan', () => {
  let service: Service;
  let key: { id: bigint; token: string };
  beforeEach(async () => {
    service = await startService({ environment: { BAN_AFTER: '0' } });
    key = await service.issueKey({ plan: 'enterprise', perMinute: 3, perDay: 8 });
  });
  afterEach(() => service.close());

  const list = (token = key.token, headers = {}): Promise<Answer> => service.client.get(PETS, { key: token, headers });
  const lists = async (count: number): Promise<number[]> => {
    const statuses: number[] = [];
    for (let index = 0; index < count; index += 1) statuses.push((await list()).status);
    return statuses;
  };

  it('are told by every answer, the tighter window first and both in the IETF fields', async () => {
    service.clock.set('2026-06-01T12:00:17.500Z');
    expect((await list()).headers).toMatchObject({
      'x-ratelimit-limit': '3',
      'x-ratelimit-remaining': '2',
      'x-ratelimit-reset': `${Date.UTC(2026, 5, 1, 12, 1) / 1_000}`,
      'ratelimit-policy': '"minute";q=3;w=60, "day";q=8;w=86400',
      ratelimit: '"minute";r=2;t=43, "day";r=7;t=43183',
    });
  });

  it('refuse what is over the minute, and serve a client that waited exactly as told', async () => {
    service.clock.set('2026-06-01T12:00:59.001Z');
    expect(await lists(3)).toEqual([200, 200, 200]);
    const refused = await list();
    expect(refused.json()).toEqual({ code: 'rate_limited', status: 429, message: expect.stringContaining('3 requests') });
    expect(refused.headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-remaining': '0' });
    service.clock.advance(Number(refused.headers['retry-after']) * 1_000);
    expect((await list()).status).toBe(200);
  });

  it('take nothing from the day for a request that the minute refuses', async () => {
    expect(await lists(6)).toEqual([200, 200, 200, 429, 429, 429]);
    expect(toldLimits(await list()).day.remaining).toBe(5);
  });

  it('refuse to the end of the day once that is used up, and say so', async () => {
    for (let minute = 0; minute < 2; minute += 1) {
      expect(await lists(3)).toEqual([200, 200, 200]);
      service.clock.advance(60_000);
    }
    expect(await lists(2)).toEqual([200, 200]);
    const refused = await list();
    expect(toldLimits(refused)).toMatchObject({ limit: 8, remaining: 0, resetAt: Date.UTC(2026, 5, 2) / 1_000, minute: { remaining: 1 } });
    service.clock.advance(Number(refused.headers['retry-after']) * 1_000);
    expect(toldLimits(await list())).toMatchObject({ limit: 3, remaining: 2, day: { remaining: 7 } });
  });

  it('are one for all routes, methods and answers of a key', async () => {
    const roomy = await service.issueKey({ plan: 'enterprise', perMinute: 100, perDay: 100, scopes: ['pets'] });
    const send = async (method: string, target: string, headers = {}) => service.client.send(method, target, { key: roomy.token, headers });
    const etag = (await send('GET', PETS)).headers.etag ?? '';
    const answers = [
      await send('HEAD', PETS),
      await send('OPTIONS', PETS),
      await send('GET', PETS, { 'if-none-match': etag }),
      await send('GET', '/v1/nothing'),
      await send('DELETE', PETS),
      await send('GET', `${PETS}/1`),
      await send('GET', '/graphql'),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 204, 304, 404, 405, 404, 403]);
    expect(answers.map((answer) => toldLimits(answer).remaining)).toEqual([98, 97, 96, 95, 94, 93, 92]);
  });

  it('are not touched by a wrong key, nor by another key', async () => {
    await list();
    const other = await service.issueKey({ plan: 'enterprise', perMinute: 3, perDay: 8 });
    await list(other.token);
    expect((await list(key.token.replace(/.$/, '*'))).status).toBe(401);
    expect(toldLimits(await list()).remaining).toBe(1);
  });

  it('put 429 before 403 and every later refusal', async () => {
    await lists(3);
    const refused = await service.client.send('POST', '/graphql', { key: key.token, body: '{' });
    expect(refused.json()).toMatchObject({ code: 'rate_limited' });
    expect((await service.client.send('PATCH', '/v1/nothing', { key: key.token, headers: { accept: 'text/html' } })).status).toBe(429);
  });

  it('change with the plan, and what is used up carries over', async () => {
    expect(await lists(4)).toEqual([200, 200, 200, 429]);
    const metadata = { actor: 'cli' };
    await service.app.get(CommandBus).execute(new ChangeApiKey({ type: 'update', id: key.id, changes: { plan: 'pro' } }, { metadata }));
    let answer = await list();
    while (answer.status === 429) answer = await list();
    expect(toldLimits(answer)).toMatchObject({ limit: 300, remaining: 296, day: { limit: 10_000, remaining: 9_996 } });
  });

  it('leave a preflight of an allowed origin alone', async () => {
    await service.close();
    service = await startService({ environment: { CORS_ORIGINS: 'https://shop.example', ANONYMOUS_REQUESTS_PER_MINUTE: '60' } });
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'GET' };
    const preflight = () => service.client.send('OPTIONS', PETS, { key: null, headers });
    const [first, second] = [await preflight(), await preflight()];
    expect([first.status, second.status]).toEqual([204, 204]);
    expect(toldLimits(second)).toEqual(toldLimits(first));
    expect(toldLimits(first).remaining).toBe(60);
  });
});

describe('2,000 simultaneous requests on one key', () => {
  it('are let through exactly as often as the plan allows, and bring no ban', async () => {
    // Its clock stands still: however slow the machine, all of them are sent before the first refusal can have been read.
    const service = await startService();
    try {
      const { id, token } = await service.issueKey({ plan: 'pro' });
      service.clock.set('2026-06-01T12:00:00.001Z');
      const endOfMinute = Date.UTC(2026, 5, 1, 12, 1) / 1_000;
      const request = `GET ${PETS} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\n`;
      const ten = `${request}\r\n`.repeat(9) + `${request}Connection: close\r\n\r\n`;
      const answers = (await Promise.all(Array.from({ length: 200 }, () => exchangeRaw(service.origin, ten, { end: false })))).flat();
      const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
      expect([answers.length, count(200), count(429)]).toEqual([2_000, 300, 1_700]);
      expect(answers.every((answer) => toldLimits(answer).resetAt === endOfMinute)).toBe(true);
      const remaining = answers.filter(({ status }) => status === 200).map((answer) => toldLimits(answer).remaining);
      expect(remaining.sort((left, right) => left - right)).toEqual(Array.from({ length: 300 }, (_, index) => index));
      const key = await service.app.get(QueryBus).execute(new GetApiKey(id));
      expect(key.lastBan).toBeUndefined();
    } finally {
      await service.close();
    }
  });
});
