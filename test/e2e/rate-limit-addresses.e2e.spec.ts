import type { Answer } from './api-client.fixture.js';
import { toldLimits } from './rate-limit.fixture.js';
import { startService, type Service } from './service.fixture.js';

const PETS = '/v1/pets';
const LIMITS = { ANONYMOUS_REQUESTS_PER_MINUTE: '3', ANONYMOUS_REQUESTS_PER_DAY: '5' };

describe('callers without a valid key', () => {
  let service: Service;
  afterEach(() => service.close());

  const start = async (environment: Record<string, string> = {}) =>
    (service = await startService({ environment: { ...LIMITS, ...environment } }));
  const from = (forwarded: string, key: string | null = null): Promise<Answer> =>
    service.client.get(PETS, { key, headers: { 'x-forwarded-for': forwarded } });
  const statusesFrom = async (...addresses: string[]): Promise<number[]> => {
    const statuses: number[] = [];
    for (const address of addresses) statuses.push((await from(address)).status);
    return statuses;
  };

  it('get 401 until their address is over its limit, then 429', async () => {
    await start();
    expect(await statusesFrom('a', 'b', 'c', 'd')).toEqual([401, 401, 401, 429]);
    const refused = await service.client.get('/v1/nothing', { key: 'adopt_dev_wrong' });
    expect(refused.json()).toMatchObject({ code: 'rate_limited', status: 429 });
    expect(refused.headers).toMatchObject({ 'retry-after': '60', 'x-ratelimit-limit': '3', 'x-ratelimit-remaining': '0' });
    service.clock.advance(60_000);
    expect(await statusesFrom('a', 'b', 'c')).toEqual([401, 401, 429]);
    expect(toldLimits(await from('a'))).toMatchObject({ limit: 5, remaining: 0, resetAt: Date.UTC(2026, 5, 2) / 1_000 });
  });

  it('do not use up anything of a valid key at the same address, nor it of theirs', async () => {
    await start();
    await statusesFrom('a', 'b', 'c', 'd');
    const { token } = await service.issueKey();
    expect(toldLimits(await from('a', token))).toMatchObject({ limit: 60, remaining: 59 });
  });

  it('are never banned', async () => {
    await start({ BAN_AFTER: '1', BAN_GRACE_SECONDS: '0' });
    const answers = await Promise.all(Array.from({ length: 30 }, () => from('a')));
    expect(answers.filter(({ text }) => text.includes('key_banned'))).toHaveLength(0);
  });

  it('are counted by the connection where no proxy is trusted', async () => {
    await start({ TRUST_PROXY: 'false' });
    expect(await statusesFrom('192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4')).toEqual([401, 401, 401, 429]);
  });

  it('are counted by the first forwarded address where every proxy is trusted', async () => {
    await start({ TRUST_PROXY: 'true' });
    expect(await statusesFrom('192.0.2.1, 10.0.0.1', '192.0.2.1, 10.0.0.2', '192.0.2.1', '192.0.2.1')).toEqual([401, 401, 401, 429]);
    expect(await statusesFrom('192.0.2.2, 192.0.2.1')).toEqual([401]);
  });

  it.each([
    ['a number of hops', '1'],
    ['a list', 'loopback'],
    ['a network', '127.0.0.0/8'],
  ])('are counted by what the proxy saw, never by what they wrote themselves, with %s', async (_name, trusted) => {
    await start({ TRUST_PROXY: trusted });
    const forged = ['198.51.100.1, 192.0.2.1', '198.51.100.2,192.0.2.1', 'nonsense, 192.0.2.1', '192.0.2.1'];
    expect(await statusesFrom(...forged)).toEqual([401, 401, 401, 429]);
    expect(await statusesFrom('192.0.2.1, 192.0.2.2')).toEqual([401]);
  });

  it('are counted behind two proxies by what the outer one saw', async () => {
    await start({ TRUST_PROXY: '2' });
    expect(await statusesFrom('1.1.1.1, 192.0.2.1, 10.0.0.1', '2.2.2.2, 192.0.2.1, 10.0.0.2', '192.0.2.1, 10.0.0.1')).toEqual([
      401, 401, 401,
    ]);
    expect(await statusesFrom('192.0.2.1, 10.0.0.3', '192.0.2.9, 10.0.0.3')).toEqual([429, 401]);
  });

  it('are counted by the connection where the proxy that sends is not in the list', async () => {
    await start({ TRUST_PROXY: '10.0.0.0/8' });
    expect(await statusesFrom('192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4')).toEqual([401, 401, 401, 429]);
  });

  it('are one per /64 of IPv6, and an IPv4-mapped address is its IPv4 address', async () => {
    await start({ TRUST_PROXY: 'true' });
    const one = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:0DB8:1:2::'];
    expect(await statusesFrom(...one, '2001:db8:1:2::1', '2001:db8:1:3::1')).toEqual([401, 401, 401, 429, 401]);
    expect(await statusesFrom('::ffff:192.0.2.9', '192.0.2.9', '192.0.2.9:4711', '::ffff:c000:209')).toEqual([401, 401, 401, 429]);
  });

  it('are the proxy where what it reports is no address', async () => {
    await start({ TRUST_PROXY: 'loopback' });
    expect(await statusesFrom('unknown', '_hidden', 'x', 'y')).toEqual([401, 401, 401, 429]);
  });
});
