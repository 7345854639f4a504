import { BODY_LIMIT, SHOP } from '../testing/sample-app.js';
import { expectError, HOST, JSON_TYPE, KEY, SampleClient } from '../testing/sample-client.js';

const TEXT = 'Content-Type: text/plain\r\n';
const TWO_BYTES = 'Content-Length: 2\r\n';
const TOO_MANY_BYTES = `Content-Length: ${BODY_LIMIT + 1}\r\n`;

const head = (requestLine: string, ...headers: readonly string[]) => `${requestLine} HTTP/1.1\r\n${HOST}${headers.join('')}`;
const post = (...headers: readonly string[]) => head('POST /v1/things', ...headers);

describe('admission of requests', () => {
  const client = SampleClient.use();

  it.each([
    ['an unknown path', head('GET /v1/nothing'), 404, 'not_found'],
    ['only the prefix', head('GET /v1'), 404, 'not_found'],
    ['an encoded slash', head('GET /v1%2fthings/7'), 404, 'not_found', 'open'],
    ['a wrong method', head('DELETE /v1/things'), 405, 'method_not_allowed'],
    ['a method that only the parser knows', head('PROPFIND /v1/things'), 405, 'method_not_allowed'],
    ['an Accept without JSON', head('GET /v1/things', 'Accept: text/html\r\n'), 406, 'not_acceptable'],
    ['a body without a type', post(TWO_BYTES), 415, 'unsupported_media_type'],
    ['another type', post(TEXT, TWO_BYTES), 415, 'unsupported_media_type'],
    ['another charset', post('Content-Type: application/json; charset=latin1\r\n', TWO_BYTES), 415, 'unsupported_media_type'],
    ['two types in one', post('Content-Type: application/json, text/plain\r\n', TWO_BYTES), 415, 'unsupported_media_type'],
    ['an encoded body', post(JSON_TYPE, 'Content-Encoding: gzip\r\n', TWO_BYTES), 415, 'unsupported_media_type'],
    ['a large body', post(JSON_TYPE, TOO_MANY_BYTES), 413, 'payload_too_large'],
    ['no version', `GET /v1/things\r\n${HOST}`, 400, 'invalid_request'],
    ['another version', `GET /v1/things HTTP/2.0\r\n${HOST}`, 400, 'invalid_request'],
    ['two Hosts', head('GET /v1/things', HOST), 400, 'invalid_parameter'],
    ['a Host that is none', 'GET /v1/things HTTP/1.1\r\nHost: a b\r\n', 400, 'invalid_request'],
    ['broken UTF-8 in the path', head('GET /%76%31/things/%ff'), 400, 'invalid_request'],
    ['broken percent-encoding in the query', head('GET /v1/things?page=%4'), 400, 'invalid_request'],
    ['two content types', post(JSON_TYPE, JSON_TYPE, TWO_BYTES), 400, 'invalid_parameter'],
  ])('refuses %s after the key and the limit', async (_name, request, status, code, access = 'protected') => {
    if (access === 'protected') {
      expectError(await client.send(request), 'unauthorized', 401);
      expectError(await client.send(`${request}${KEY}X-Over-Limit: 1\r\n`), 'rate_limited', 429);
    }
    expectError(await client.send(`${request}${KEY}`), code, status);
  });

  it.each(['utf-8', 'UTF8', '"utf8"'])('takes a body in the charset %s', async (charset) => {
    const type = `Content-Type: application/json; charset=${charset}\r\n`;
    expect((await client.send(post(KEY, type, TWO_BYTES), '{}')).status).toBe(201);
  });

  it('says 404, 405, 406, 415, 413, 400 in this order', async () => {
    const faults = ['Content-Length: 2000\r\n', TEXT, 'Accept: text/html\r\n'];
    expectError(await client.send(head('PUT /v1/nothing', KEY, ...faults)), 'not_found', 404);
    expectError(await client.send(head('PUT /v1/things', KEY, ...faults)), 'method_not_allowed', 405);
    expectError(await client.send(post(KEY, ...faults)), 'not_acceptable', 406);
    expectError(await client.send(post(KEY, ...faults.slice(0, 2))), 'unsupported_media_type', 415);
    expectError(await client.send(post(KEY, JSON_TYPE, ...faults.slice(0, 1))), 'payload_too_large', 413);
    expectError(await client.send(post(KEY, JSON_TYPE, TWO_BYTES), '{{'), 'invalid_request', 400);
  });

  it('names what would be right: the methods of the path, the media type, the coding', async () => {
    const named = async (request: string, name: string) => (await client.send(request, '{}')).headers[name];
    expect(await named(head('DELETE /v1/things', KEY), 'allow')).toBe('GET, HEAD, POST, OPTIONS');
    expect(await named(head('POST /v1/things/7', KEY), 'allow')).toBe('GET, HEAD, OPTIONS');
    expect(await named(head('OPTIONS *'), 'allow')).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
    expect(await named(post(KEY, TEXT, TWO_BYTES), 'accept')).toBe('application/json');
    expect(await named(post(KEY, JSON_TYPE, 'Content-Encoding: br\r\n', TWO_BYTES), 'accept-encoding')).toBe('identity');
  });

  it.each(['GET', 'HEAD', 'OPTIONS'])(
    'does not look at a body of %s, and ends the connection if it is beyond the limit',
    async (method) => {
      const large = 'x'.repeat(BODY_LIMIT + 1);
      for (const [framing, body, connection] of [
        ['Content-Length: 3\r\n', 'xyz', 'keep-alive'],
        [TOO_MANY_BYTES, large, 'close'],
        ['Transfer-Encoding: chunked\r\n', `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`, 'close'],
      ] as const) {
        const { status, headers } = await client.send(head(`${method} /v1/things`, KEY, TEXT, framing), body);
        expect([status, headers['connection']]).toEqual([method === 'OPTIONS' ? 204 : 200, connection]);
      }
    },
  );

  it.each(['/v1/things', '/%76%31/things', '/v1/%74hings', 'http://x/v1/things', '/v1', '/graphql', '/graphql/x', '/v1?x', '/internal'])(
    'asks for a key at %s',
    async (target) => expectError(await client.send(head(`GET ${target}`)), 'unauthorized', 401),
  );

  it.each([
    [404, 'not_found', ['/', '/nothing', '/v2/things', '/docs/x', '/V1/things', '//v1/things', '/v10']],
    [
      400,
      'invalid_request',
      ['*', '*v1/things', 'v1/things', 'ftp://x/v1/things', 'http:///v1/things', '/docs#part', '/docs/%zz', '/docs/é'],
    ],
  ])('says %i to everybody about a target that is nothing of the service', async (status, code, targets) => {
    for (const target of targets) expectError(await client.send(head(`GET ${target}`)), code, status);
    expect((await client.send(head('GET /docs'))).body).toBe('documentation');
  });

  /** The first is refused later, the second at once. */
  it.each(['-1', '-10'])(
    'lets the check of a route refuse the note %s before its body and type, after key, limit and method',
    async (id) => {
      const note = `/v1/notes/${id}`;
      for (const [request, body] of [
        [head(`PATCH ${note}`, KEY, TEXT, TWO_BYTES), '{}'],
        [head(`PATCH ${note}`, KEY, JSON_TYPE, TOO_MANY_BYTES), ''],
        [head(`PATCH ${note}`, KEY, JSON_TYPE, 'Content-Length: 1\r\n'), '{'],
        [head(`GET ${note}`, KEY, 'Accept: text/html\r\n'), ''],
        [head(`DELETE ${note}`, KEY, 'Expect: tea\r\n'), ''],
      ] as const) {
        expectError(await client.send(request, body), 'not_found', 404);
      }
      expectError(await client.send(head(`GET ${note}`)), 'unauthorized', 401);
      expectError(await client.send(head(`GET ${note}`, KEY, 'X-Over-Limit: 1\r\n')), 'rate_limited', 429);
      expectError(await client.send(head(`PUT ${note}`, KEY)), 'method_not_allowed', 405);
    },
  );

  it('answers the preflight of an allowed origin before authentication, and exposes all headers', async () => {
    const origin = `Origin: ${SHOP}\r\n`;
    const preflight = await client.send(head('OPTIONS /v1/things', origin, 'Access-Control-Request-Method: POST\r\n'));
    expect(preflight).toMatchObject({
      status: 204,
      headers: {
        'access-control-allow-origin': SHOP,
        'access-control-allow-methods': 'GET, HEAD, POST, PUT, PATCH, DELETE',
        vary: 'Origin',
      },
    });
    expect((await client.send(head('GET /v1/notes/7', KEY, origin))).headers['access-control-expose-headers']).toBe('*');
    // Without the method that it asks for it is no preflight.
    expectError(await client.send(head('OPTIONS /v1/things', origin)), 'unauthorized', 401);
  });
});
