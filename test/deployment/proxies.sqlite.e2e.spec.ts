import { createLogger } from '#libs/observability';
import { findFreePort } from '../databases/free-port.fixture.js';
import { startService, UNLIMITED, type Service } from '../e2e/service.fixture.js';
import { describeWith } from './debian-program.fixture.js';
import { startHaproxy, startLosingUpstream, startNginx, type Proxy } from './proxies.fixture.js';

type Line = Readonly<Record<string, unknown>>;

const JSON_TYPE = { 'content-type': 'application/json' };
const REX = '{"name":"Rex","categoryId":7}';
const PER_MINUTE = 3;

describeWith('nginx', 'haproxy')('proxies that run the configuration files', () => {
  describe.each([
    ['nginx', startNginx, [502, 'bad_gateway']],
    ['haproxy', startHaproxy, [503, 'service_unavailable']],
  ] as const)('%s', (_name, start, [noneLeftStatus, noneLeftCode]) => {
    const lines: Line[] = [];
    let service: Service;
    let proxy: Proxy;
    let key: Readonly<Record<string, string>>;
    beforeAll(async () => {
      const logger = createLogger({ level: 'info', destination: { write: (line) => lines.push(JSON.parse(line) as Line) } });
      const environment = { TRUST_PROXY: '1', ANONYMOUS_REQUESTS_PER_MINUTE: String(PER_MINUTE) };
      service = await startService({ environment, logger });
      const { token } = await service.issueKey({ ...UNLIMITED, scopes: ['pets', 'events'] });
      key = { authorization: `Bearer ${token}` };
      // The second instance is down.
      proxy = await start([Number(new URL(service.origin).port), await findFreePort()]);
    });
    afterAll(() => service.close());

    it('passes on each request once, and an event while its stream lasts', async () => {
      const stream = await proxy.open('GET', '/v1/events', { headers: { ...key, accept: 'text/event-stream' } });
      for (let round = 1; round <= 5; round += 1) {
        expect((await proxy.send('POST', '/v1/pets', { headers: { ...key, ...JSON_TYPE }, body: REX })).status).toBe(201);
      }
      const { text } = await proxy.send('GET', '/v1/pets', { headers: key });
      expect(JSON.parse(text)).toHaveLength(5);
      let received = '';
      for await (const chunk of stream.setEncoding('utf8')) {
        received += String(chunk);
        if (received.includes('"Rex"')) break;
      }
      expect(stream.complete).toBe(false);
    });

    it('passes on the address of each client and no forged one, so that each has its own limit', async () => {
      const statuses: (number | undefined)[] = [];
      for (let round = 0; round <= PER_MINUTE; round += 1) {
        const headers = { 'x-forwarded-for': `198.51.100.${round}` };
        statuses.push((await proxy.send('GET', '/v1/pets', { headers, from: '127.0.0.3' })).status);
      }
      expect(statuses).toEqual([...Array<number>(PER_MINUTE).fill(401), 429]);
      const { status, headers } = await proxy.send('GET', '/v1/pets', { from: '127.0.0.4' });
      expect(status).toBe(401);
      expect(lines.find(({ requestId }) => requestId === headers['x-request-id'])).toMatchObject({ clientAddress: '127.0.0.4' });
    });

    it('sends a POST once to an instance that dies, and answers by itself as JSON', async () => {
      const upstream = await startLosingUpstream();
      const losing = await start([upstream.port, upstream.port]);
      expectError(await losing.send('POST', '/v1/pets', { headers: JSON_TYPE, body: REX }), 502, 'bad_gateway');
      expect(upstream.lost).toEqual(['POST']);
      const alone = await start([await findFreePort(), await findFreePort()]);
      expectError(await alone.send('GET', '/v1/pets'), noneLeftStatus, noneLeftCode);
      expectError(await proxy.send('GET', '/v1/pets', { headers: { ...key, host: 'a b' } }), 400, 'invalid_request');
    });
  });
});

function expectError({ status, text }: Awaited<ReturnType<Proxy['send']>>, expected: number, code: string): void {
  expect([status, JSON.parse(text)]).toEqual([expected, { code, message: expect.any(String), status: expected }]);
}
