import { once } from 'node:events';
import { connect } from 'node:net';
import { expectRawDocumented } from './documented-traffic.fixture.js';
import { startService, type Service } from './service.fixture.js';

const HOST = 'Host: shop\r\n';

describe('the edges of HTTP', () => {
  let service: Service;
  let key: string;
  beforeAll(async () => {
    service = await startService();
    key = `Authorization: Bearer ${(await service.issueKey()).token}\r\n`;
  });
  afterAll(() => service.close());

  /** Sends bytes as they are and gives all that comes back until the service ends the connection. */
  const sendRaw = async (text: string): Promise<string> => {
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
    let received = '';
    socket.setEncoding('latin1').on('data', (part: string) => (received += part));
    socket.write(text);
    await once(socket, 'end');
    socket.destroy();
    expectRawDocumented(text, received);
    return received;
  };
  const sendOnce = (head: string): Promise<string> => sendRaw(`${head}Connection: close\r\n\r\n`);
  const expectError = (answer: string, code: string, status: number): void => {
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(JSON.parse(body)).toEqual({ code, status, message: expect.any(String) });
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    for (const header of [
      'content-type: application/json',
      'x-request-id: ',
      'x-content-type-options: nosniff',
      'cache-control: private, no-cache',
    ]) {
      expect(head.toLowerCase()).toContain(`\r\n${header}`);
    }
  };

  it.each([
    ['a missing Host', 'GET /v1/pets HTTP/1.1\r\n', 400, 'invalid_request'],
    ['malformed percent-encoding', `GET /v1/pets/%zz HTTP/1.1\r\n${HOST}`, 400, 'invalid_request'],
    ['malformed percent-encoding in the query', `GET /v1/pets?status=%ff HTTP/1.1\r\n${HOST}`, 400, 'invalid_request'],
    ['a long target', `GET /v1/pets?x=${'x'.repeat(8_192)} HTTP/1.1\r\n${HOST}`, 414, 'uri_too_long'],
    ['an unknown expectation', `GET /v1/pets HTTP/1.1\r\n${HOST}Expect: tea\r\n`, 417, 'expectation_failed'],
    ['TRACE', `TRACE /v1/pets HTTP/1.1\r\n${HOST}`, 405, 'method_not_allowed'],
    ['a trailing slash', `GET /v1/pets/ HTTP/1.1\r\n${HOST}`, 404, 'not_found'],
    [
      'broken chunking',
      `POST /v1/pets HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n`,
      400,
      'invalid_request',
    ],
  ])('%s is refused, without a key by 401', async (name, head, status, code) => {
    const body = name === 'broken chunking' ? 'nonsense\r\n' : '';
    expectError(await sendRaw(`${head}Connection: close\r\n\r\n${body}`), 'unauthorized', 401);
    expectError(await sendRaw(`${head}${key}Connection: close\r\n\r\n${body}`), code, status);
  });

  it.each([
    ['garbage', 'nonsense\r\n\r\n', 400, 'invalid_request'],
    ['a large head', `GET /v1/pets HTTP/1.1\r\n${HOST}X-Filler: ${'x'.repeat(17_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['CONNECT', 'CONNECT shop:443 HTTP/1.1\r\n\r\n', 405, 'method_not_allowed'],
  ])('%s is answered with an error body', async (_name, text, status, code) => {
    expectError(await sendRaw(text), code, status);
  });

  it.each(['/docs', '/openapi.json'])('%s is outside the version, and only read', async (path) => {
    expect(await sendOnce(`GET ${path} HTTP/1.1\r\n${HOST}`)).toMatch(/^HTTP\/1.1 200 /);
    expect(await sendOnce(`OPTIONS ${path} HTTP/1.1\r\n${HOST}`)).toContain('allow: GET, HEAD, OPTIONS\r\n');
    expectError(await sendOnce(`POST ${path} HTTP/1.1\r\n${HOST}`), 'method_not_allowed', 405);
    expectError(await sendOnce(`GET /v1${path} HTTP/1.1\r\n${HOST}${key}`), 'not_found', 404);
  });

  it('the paths of REST are under the version alone', async () => {
    expectError(await sendOnce(`GET /pets HTTP/1.1\r\n${HOST}${key}`), 'not_found', 404);
  });

  it('a body larger than the limit is refused by its length and while it streams', async () => {
    const head = `POST /v1/pets HTTP/1.1\r\n${HOST}${key}Content-Type: application/json\r\n`;
    expectError(await sendRaw(`${head}Content-Length: 65537\r\n\r\n`), 'payload_too_large', 413);
    expectError(await sendRaw(`${head}Transfer-Encoding: chunked\r\n\r\n10001\r\n${' '.repeat(65_537)}\r\n`), 'payload_too_large', 413);
  });
});
