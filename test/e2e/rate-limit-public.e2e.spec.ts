import type { Answer } from './api-client.fixture.js';
import { toldLimits } from './rate-limit.fixture.js';
import { startService, type Service } from './service.fixture.js';

const PAGES = ['/docs', '/docs/assets/guides.mjs', '/openapi.json', '/graphiql', '/nothing', '/other'];
const LIMITS = { PUBLIC_REQUESTS_PER_MINUTE: '6', PUBLIC_REQUESTS_PER_DAY: '8', ANONYMOUS_REQUESTS_PER_MINUTE: '4', TRUST_PROXY: 'true' };

describe('what is open to everybody', () => {
  let service: Service;
  beforeEach(async () => {
    service = await startService({ environment: LIMITS });
  });
  afterEach(() => service.close());

  const ask = (path: string, address = '192.0.2.1', key: string | null = null): Promise<Answer> =>
    service.client.get(path, { key, headers: { 'x-forwarded-for': address } });
  const askAll = async (address?: string): Promise<Answer[]> => {
    const answers: Answer[] = [];
    for (const page of PAGES) answers.push(await ask(page, address));
    return answers;
  };

  it('is answered until the address is over its limit, with and without a key, then with 429', async () => {
    const answers = await askAll();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404, 404]);
    expect(answers.map((answer) => toldLimits(answer).remaining)).toEqual([5, 4, 3, 2, 1, 0]);
    const { token } = await service.issueKey();
    for (const page of PAGES) {
      const refused = await ask(page, '192.0.2.1', token);
      expect(refused.status).toBe(429);
      expect(refused.json()).toEqual({ code: 'rate_limited', message: expect.stringMatching(/limit of 6 requests/), status: 429 });
      expect(refused.headers).toMatchObject({
        'content-type': 'application/json; charset=utf-8',
        'retry-after': '60',
        'x-ratelimit-limit': '6',
        'x-ratelimit-remaining': '0',
      });
    }
  });

  it('is answered again in the next minute, until the day is used up', async () => {
    await askAll();
    service.clock.advance(60_000);
    const answers = await askAll();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429, 429, 429]);
    expect(answers.slice(2).map((answer) => toldLimits(answer).limit)).toEqual([8, 8, 8, 8]);
  });

  it('uses up nothing of the API, nor the API of it', async () => {
    await askAll();
    await askAll();
    const { token } = await service.issueKey();
    expect(toldLimits(await ask('/v1/pets', '192.0.2.1', token))).toMatchObject({ limit: 60, remaining: 59 });
    const anonymous: Answer[] = [];
    for (let count = 0; count < 5; count++) anonymous.push(await ask('/v1/pets', '192.0.2.2'));
    expect(anonymous.map(({ status }) => status)).toEqual([401, 401, 401, 401, 429]);
    expect(toldLimits(await ask('/docs', '192.0.2.2'))).toMatchObject({ limit: 6, remaining: 5 });
    expect(toldLimits(await ask('/v1/pets', '192.0.2.1'))).toMatchObject({ limit: 4, remaining: 3 });
  });

  it('is counted by network, as everywhere', async () => {
    await askAll('2001:db8:1:2::1');
    expect((await ask('/docs', '2001:db8:1:2:ffff::9')).status).toBe(429);
    expect((await ask('/docs', '2001:db8:1:3::1')).status).toBe(200);
    await askAll('::ffff:192.0.2.9');
    expect((await ask('/docs', '192.0.2.9')).status).toBe(429);
  });

  it('counts HEAD like GET', async () => {
    await askAll();
    expect((await service.client.send('HEAD', '/docs', { key: null, headers: { 'x-forwarded-for': '192.0.2.1' } })).status).toBe(429);
  });

  it('is not the health, which is always told', async () => {
    await askAll();
    for (const [path, status] of [
      ['/health/live', 200],
      ['/health/ready', 200],
      ['/health/nothing', 404],
    ] as const) {
      for (let count = 0; count < 10; count++) expect((await ask(path)).status).toBe(status);
    }
    expect((await ask('/health/live')).headers).not.toHaveProperty('x-ratelimit-limit');
  });
});
