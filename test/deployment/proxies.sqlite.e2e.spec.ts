import { createLogger } from '#libs/observability';
import { findFreePort } from '../databases/free-port.fixture.js';
import { startService, UNLIMITED, type Service } from '../e2e/service.fixture.js';
import { describeWith } from './debian-program.fixture.js';
import { startHaproxy, startLosingUpstream, startNginx, type Instances, type Proxy } from './proxies.fixture.js';

type Line = Readonly<Record<string, unknown>>;

const JSON_TYPE = { 'content-type': 'application/json' };
const REX = '{"name":"Rex","categoryId":7}';
const FORGED = { 'x-forwarded-for': '198.51.100.7' };
const PER_MINUTE = 3;

const PROXIES: readonly (readonly [string, (instances: Instances) => Promise<Proxy>])[] = [
  ['nginx', startNginx],
  ['haproxy', startHaproxy],
];

for (const [name, start] of PROXIES) {
  describeWith(name)(`${name} in front of an instance and one that is not there`, () => {
    let service: Service;
    let proxy: Proxy;
    let key: Readonly<Record<string, string>>;
    let lines: Line[];
    beforeAll(async () => {
      lines = [];
      const logger = createLogger({ level: 'info', destination: { write: (line) => lines.push(JSON.parse(line) as Line) } });
      const environment = { TRUST_PROXY: '1', ANONYMOUS_REQUESTS_PER_MINUTE: String(PER_MINUTE) };
      service = await startService({ environment, logger });
      const { token } = await service.issueKey({ ...UNLIMITED, scopes: ['pets', 'events'] });
      key = { authorization: `Bearer ${token}` };
      proxy = await start([Number(new URL(service.origin).port), await findFreePort()]);
    });
    afterAll(() => service.close());

    it('ends TLS and passes on requests, each once', async () => {
      for (let round = 1; round <= 5; round += 1) {
        expect((await proxy.send('POST', '/v1/pets', { headers: { ...key, ...JSON_TYPE }, body: REX })).status).toBe(201);
      }
      const { status, text } = await proxy.send('GET', '/v1/pets', { headers: key });
      expect([status, (JSON.parse(text) as object[]).length]).toEqual([200, 5]);
    });

    it('passes on the address of the client, and no forged one', async () => {
      const { status, headers } = await proxy.send('GET', '/v1/pets', { headers: FORGED, from: '127.0.0.2' });
      expect(status).toBe(401);
      const line = lines.find(({ requestId }) => requestId === headers['x-request-id']);
      expect(line).toMatchObject({ status: 401, clientAddress: '127.0.0.2' });
    });

    it('lets the service limit each client by itself', async () => {
      const statuses: (number | undefined)[] = [];
      for (let round = 0; round <= PER_MINUTE; round += 1) {
        statuses.push((await proxy.send('GET', '/v1/pets', { from: '127.0.0.3' })).status);
      }
      expect(statuses).toEqual([...Array<number>(PER_MINUTE).fill(401), 429]);
      expect((await proxy.send('GET', '/v1/pets', { from: '127.0.0.4' })).status).toBe(401);
    });

    it('passes on an event while its stream goes on', async () => {
      const stream = await proxy.open('GET', '/v1/events', { headers: { ...key, accept: 'text/event-stream' } });
      expect(stream.statusCode).toBe(200);
      await proxy.send('POST', '/v1/pets', { headers: { ...key, ...JSON_TYPE }, body: REX });
      let received = '';
      for await (const chunk of stream.setEncoding('utf8')) {
        received += String(chunk);
        if (received.includes('"Rex"')) break;
      }
      expect(stream.complete).toBe(false);
    });

    it.each([
      ['a body that is too large', 413, 'payload_too_large', { body: JSON.stringify({ name: 'x'.repeat(70_000) }) }],
      ['a head that is too large', 431, 'headers_too_large', { headers: { 'x-filler': 'x'.repeat(17_000) } }],
    ])('answers %s with %s as JSON', async (_what, status, code, { body, headers = {} }: { body?: string; headers?: object }) => {
      const response = await proxy.send('POST', '/v1/pets', { headers: { ...key, ...JSON_TYPE, ...headers }, body: body ?? REX });
      expectError(response, status, code);
    });

    it('answers what is not HTTP with 400 as JSON', async () => {
      expectError(await proxy.send('GET', '/v1/pets', { headers: { ...key, host: 'a b' } }), 400, 'invalid_request');
    });
  });

  describeWith(name)(`${name} in front of an instance that dies`, () => {
    it('answers 502 as JSON, and has sent a POST once', async () => {
      const upstream = await startLosingUpstream();
      const proxy = await start([upstream.port, upstream.port]);
      expectError(await proxy.send('POST', '/v1/pets', { headers: JSON_TYPE, body: REX }), 502, 'bad_gateway');
      expect(upstream.lost).toEqual(['POST']);
    });

    it('answers with an error as JSON when no instance is left', async () => {
      const proxy = await start([await findFreePort(), await findFreePort()]);
      const response = await proxy.send('GET', '/v1/pets');
      if (name === 'nginx') expectError(response, 502, 'bad_gateway');
      else expectError(response, 503, 'service_unavailable');
    });
  });
}

function expectError({ status, headers, text }: Awaited<ReturnType<Proxy['send']>>, expected: number, code: string): void {
  expect(status).toBe(expected);
  expect(headers['content-type']).toMatch(/^application\/json/);
  expect(headers.link).toContain(`</docs/errors#${code}>; rel="help"`);
  expect(JSON.parse(text)).toEqual({ code, message: expect.any(String), status: expected });
}
