import { createLogger } from '#libs/observability';
import { until } from '#libs/testing';
import { startService, type Service } from './service.fixture.js';

type Line = Readonly<Record<string, unknown>>;

const BEHIND_PROXY = { 'x-forwarded-for': '203.0.113.9, 2001:db8:1:2:3:4:5:6' };

describe('the log', () => {
  let service: Service;
  afterEach(() => service.close());

  it.each([
    ['on', ['127.0.0.1', '2001:db8:1:2::/64', '198.51.100.4', '198.51.100.4']],
    ['off', []],
  ])('tells each refusal its code, and with LOG_CLIENT_ADDRESS=%s of 401, 403 and 429 the addresses %j', async (setting, addresses) => {
    const lines: Line[] = [];
    const logger = createLogger({ level: 'info', destination: { write: (line) => lines.push(JSON.parse(line) as Line) } });
    service = await startService({ environment: { TRUST_PROXY: '1', LOG_CLIENT_ADDRESS: setting }, logger });
    const { client } = service;
    const { token: limited } = await service.issueKey({ perMinute: 1, perDay: 1_000, plan: 'enterprise' });
    await client.get('/v1/pets', { key: limited });
    const answers = [
      await client.get('/v1/pets', { key: null }),
      await client.get('/v1/pets', { key: 'wrong', headers: BEHIND_PROXY }),
      await client.get('/v1/store/inventory', { headers: { 'x-forwarded-for': '198.51.100.4' } }),
      await client.get('/v1/pets', { key: limited, headers: { 'x-forwarded-for': '::ffff:198.51.100.4' } }),
      await client.post('/v1/pets', 'no JSON'),
      await client.get('/v1/pets'),
    ];
    const told = answers.map(({ headers }) => until(() => lines.find(({ requestId }) => requestId === headers['x-request-id'])));
    expect((await Promise.all(told)).map((line) => [line?.['status'], line?.['code'], line?.['clientAddress']])).toEqual([
      [401, 'unauthorized', addresses[0]],
      [401, 'unauthorized', addresses[1]],
      [403, 'insufficient_scope', addresses[2]],
      [429, 'rate_limited', addresses[3]],
      [400, 'invalid_request', undefined],
      [200, undefined, undefined],
    ]);
  });
});
