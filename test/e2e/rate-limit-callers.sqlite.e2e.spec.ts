import type { Answer } from './api-client.fixture.js';
import { toldLimits } from './rate-limit.fixture.js';
import { startService, type Service } from './service.fixture.js';

const PETS = '/v1/pets';

describe('callers who are counted by their address', () => {
  let service: Service;
  afterEach(() => service.close());

  const ask = (path: string, forwarded: string, key: string | null = null): Promise<Answer> =>
    service.client.get(path, { key, headers: { 'x-forwarded-for': forwarded } });

  /** The addresses of each line are of one caller, who may send as often as there are addresses, less one. */
  it.each<[trustProxy: string, what: string, ...callers: readonly string[][]]>([
    ['false', 'the connection', ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']],
    ['10.0.0.0/8', 'the connection, from which no proxy sends', ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4']],
    ['true', 'the first address', ['192.0.2.1, 10.0.0.1', '192.0.2.1, 10.0.0.2', '192.0.2.1', '192.0.2.1'], ['192.0.2.2, 192.0.2.1']],
    ['true', 'IPv4, mapped or with a port', ['::ffff:192.0.2.9', '192.0.2.9', '192.0.2.9:4711', '::ffff:c000:209']],
    ['true', 'the /64 of IPv6', ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:0DB8:1:2::', '2001:db8:1:2::2'], ['2001:db8:1:3::1']],
    [
      '1',
      'what the proxy saw',
      ['198.51.100.1, 192.0.2.1', '198.51.100.2,192.0.2.1', 'x, 192.0.2.1', '192.0.2.1'],
      ['192.0.2.1, 192.0.2.2'],
    ],
    ['127.0.0.0/8', 'what the proxy saw', ['198.51.100.1, 192.0.2.1', '192.0.2.1', 'x, 192.0.2.1', '192.0.2.1'], ['192.0.2.1, 192.0.2.2']],
    [
      '2',
      'what the outer proxy saw',
      ['1.1.1.1, 192.0.2.1, 10.0.0.1', '192.0.2.1, 10.0.0.2', '192.0.2.1, 10.0.0.1', '192.0.2.1, 10.0.0.3'],
    ],
    ['loopback', 'the proxy, which reports no address', ['unknown', '_hidden', 'x', 'y']],
  ])('are, with TRUST_PROXY=%s, %s', async (trustProxy, _what, ...callers) => {
    service = await startService({ environment: { TRUST_PROXY: trustProxy, ANONYMOUS_REQUESTS_PER_MINUTE: '3' } });
    const statuses: number[][] = [];
    for (const addresses of callers) {
      const ofCaller: number[] = [];
      for (const address of addresses) ofCaller.push((await ask(PETS, address)).status);
      statuses.push(ofCaller);
    }
    expect(statuses).toEqual(callers.map((addresses) => addresses.map((_, index) => (index < 3 ? 401 : 429))));
  });

  it('are limited on all that is open to everybody, with and without a key, but for the health, which is always told', async () => {
    const pages = ['/docs', '/docs/reference', '/openapi.json', '/graphiql', '/nothing', '/other'];
    service = await startService({ environment: { PUBLIC_REQUESTS_PER_MINUTE: `${pages.length}` } });
    const { token } = await service.issueKey();
    const asked: Answer[] = [];
    for (const page of pages) asked.push(await ask(page, '192.0.2.1'));
    expect(asked.map(({ status }) => status)).toEqual([200, 200, 200, 200, 404, 404]);
    expect(asked.map((answer) => toldLimits(answer).remaining)).toEqual([5, 4, 3, 2, 1, 0]);
    for (const page of pages) {
      const refused = await ask(page, '192.0.2.1', token);
      expect(refused.json()).toEqual({ code: 'rate_limited', message: expect.stringContaining('limit of 6 requests'), status: 429 });
      expect(refused.headers).toMatchObject({ 'retry-after': '60', 'x-ratelimit-limit': '6', 'x-ratelimit-remaining': '0' });
    }
    expect((await service.client.send('HEAD', '/docs', { key: null })).status).toBe(429);
    for (const [path, status] of Object.entries({ '/health/live': 200, '/health/ready': 200, '/health/nothing': 404 })) {
      for (let sent = 0; sent < 8; sent += 1) expect((await ask(path, '192.0.2.1')).status).toBe(status);
    }
    expect((await ask('/health/live', '192.0.2.1')).headers).not.toHaveProperty('x-ratelimit-limit');
  });
});
