import { createLogger } from '#libs/observability';
import { RawConnection } from '../../libs/http/testing/raw-connection.js';
import { startService, type Service } from './service.fixture.js';

type Line = Readonly<Record<string, unknown>>;

const BEHIND_PROXY = { 'x-forwarded-for': '203.0.113.9, 2001:db8:1:2:3:4:5:6' };

describe('the log', () => {
  let service: Service;
  let lines: Line[];
  afterEach(() => service.close());
  const start = async (environment: Readonly<Record<string, string>>) => {
    lines = [];
    const logger = createLogger({ level: 'info', destination: { write: (line) => lines.push(JSON.parse(line) as Line) } });
    service = await startService({ environment: { TRUST_PROXY: '1', ...environment }, logger });
  };

  /** What the line says of the request that was answered so. */
  const toldOf = async (answer: Promise<{ readonly headers: Readonly<Record<string, unknown>> }>): Promise<Line> => {
    const { headers } = await answer;
    for (;;) {
      const line = lines.find(({ requestId }) => requestId === headers['x-request-id']);
      if (line) return { status: line['status'], code: line['code'], clientAddress: line['clientAddress'] };
      await new Promise(setImmediate);
    }
  };
  const refusals = async (): Promise<Line[]> => {
    const { client } = service;
    const limited = (await service.issueKey({ perMinute: 1, perDay: 1_000, plan: 'enterprise' })).token;
    await client.get('/v1/pets', { key: limited });
    return [
      await toldOf(client.get('/v1/pets', { key: null })),
      await toldOf(client.get('/v1/pets', { key: 'wrong', headers: BEHIND_PROXY })),
      await toldOf(client.get('/v1/store/inventory', { headers: { 'x-forwarded-for': '198.51.100.4' } })),
      await toldOf(client.get('/v1/pets', { key: limited, headers: { 'x-forwarded-for': '::ffff:198.51.100.4' } })),
      await toldOf(client.post('/v1/pets', 'no JSON')),
      await toldOf(client.get('/v1/pets')),
    ];
  };

  it('tells of each refusal its code, and of a 401, 403 or 429 the client address as it is counted', async () => {
    await start({});
    expect(await refusals()).toEqual([
      { status: 401, code: 'unauthorized', clientAddress: '127.0.0.1' },
      { status: 401, code: 'unauthorized', clientAddress: '2001:db8:1:2::/64' },
      { status: 403, code: 'insufficient_scope', clientAddress: '198.51.100.4' },
      { status: 429, code: 'rate_limited', clientAddress: '198.51.100.4' },
      { status: 400, code: 'invalid_request' },
      { status: 200 },
    ]);
  });

  it('tells of no address where LOG_CLIENT_ADDRESS is off', async () => {
    await start({ LOG_CLIENT_ADDRESS: 'off' });
    expect((await refusals()).map(({ code, clientAddress }) => [code, clientAddress])).toEqual([
      ['unauthorized', undefined],
      ['unauthorized', undefined],
      ['insufficient_scope', undefined],
      ['rate_limited', undefined],
      ['invalid_request', undefined],
      [undefined, undefined],
    ]);
  });

  it.each([
    ['on', '127.0.0.1'],
    ['off', undefined],
  ])('tells of what was no request with LOG_CLIENT_ADDRESS=%s', async (setting, clientAddress) => {
    await start({ LOG_CLIENT_ADDRESS: setting });
    const connection = new RawConnection(Number(new URL(service.origin).port));
    connection.send('nonsense\r\n\r\n');
    expect(await toldOf(connection.answer())).toEqual({ status: 400, code: 'invalid_request', clientAddress });
  });
});
