import { BODY_LIMIT } from '../testing/sample-app.js';
import { expectError, HOST, JSON_TYPE, KEY, SampleClient } from '../testing/sample-client.js';

const client = SampleClient.use();

describe('refusals of admission', () => {
  it.each([
    ['an unknown path', `GET /v1/nothing HTTP/1.1\r\n${HOST}`, 404, 'not_found'],
    ['only the prefix', `GET /v1 HTTP/1.1\r\n${HOST}`, 404, 'not_found'],
    ['an encoded slash', `GET /v1%2fthings/7 HTTP/1.1\r\n${HOST}`, 404, 'not_found', 'open'],
    ['a wrong method', `DELETE /v1/things HTTP/1.1\r\n${HOST}`, 405, 'method_not_allowed'],
    ['a method that only the parser knows', `PROPFIND /v1/things HTTP/1.1\r\n${HOST}`, 405, 'method_not_allowed'],
    ['an Accept without JSON', `GET /v1/things HTTP/1.1\r\n${HOST}Accept: text/html\r\n`, 406, 'not_acceptable'],
    ['a body without a type', `POST /v1/things HTTP/1.1\r\n${HOST}Content-Length: 2\r\n`, 415, 'unsupported_media_type'],
    ['another type', `POST /v1/things HTTP/1.1\r\n${HOST}Content-Type: text/plain\r\nContent-Length: 2\r\n`, 415, 'unsupported_media_type'],
    [
      'another charset',
      `POST /v1/things HTTP/1.1\r\n${HOST}Content-Type: application/json; charset=latin1\r\nContent-Length: 2\r\n`,
      415,
      'unsupported_media_type',
    ],
    [
      'a type with another parameter',
      `POST /v1/things HTTP/1.1\r\n${HOST}Content-Type: application/json; x=y\r\nContent-Length: 2\r\n`,
      415,
      'unsupported_media_type',
    ],
    [
      'two types in one',
      `POST /v1/things HTTP/1.1\r\n${HOST}Content-Type: application/json, text/plain\r\nContent-Length: 2\r\n`,
      415,
      'unsupported_media_type',
    ],
    [
      'an encoded body',
      `POST /v1/things HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Encoding: gzip\r\nContent-Length: 2\r\n`,
      415,
      'unsupported_media_type',
    ],
    ['a large body', `POST /v1/things HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: ${BODY_LIMIT + 1}\r\n`, 413, 'payload_too_large'],
    ['two Hosts', `GET /v1/things HTTP/1.1\r\n${HOST}${HOST}`, 400, 'invalid_parameter'],
    ['a Host that is none', 'GET /v1/things HTTP/1.1\r\nHost: a b\r\n', 400, 'invalid_request'],
    ['broken UTF-8 in the path', `GET /%76%31/things/%ff HTTP/1.1\r\n${HOST}`, 400, 'invalid_request'],
    ['broken percent-encoding in the query', `GET /v1/things?page=%4 HTTP/1.1\r\n${HOST}`, 400, 'invalid_request'],
    ['two content types', `POST /v1/things HTTP/1.1\r\n${HOST}${JSON_TYPE}${JSON_TYPE}Content-Length: 2\r\n`, 400, 'invalid_parameter'],
  ])('%s', async (_name, head, status, code, access = 'protected') => {
    const anonymous = await client.send(head);
    if (access === 'protected') expectError(anonymous, 'unauthorized', 401);
    expectError(
      await client.send(`${head}${KEY}X-Over-Limit: 1\r\n`),
      access === 'protected' ? 'rate_limited' : code,
      access === 'protected' ? 429 : status,
    );
    expectError(await client.send(`${head}${KEY}`), code, status);
  });

  it('says 404, 405, 406, 415, 413, 400 in this order', async () => {
    const faults = ['Content-Length: 2000\r\n', 'Content-Type: text/plain\r\n', 'Accept: text/html\r\n'];
    expectError(await client.send(`PUT /v1/nothing HTTP/1.1\r\n${KEY}${faults.join('')}`), 'not_found', 404);
    expectError(await client.send(`PUT /v1/things HTTP/1.1\r\n${KEY}${faults.join('')}`), 'method_not_allowed', 405);
    expectError(await client.send(`POST /v1/things HTTP/1.1\r\n${KEY}${faults.join('')}`), 'not_acceptable', 406);
    expectError(await client.send(`POST /v1/things HTTP/1.1\r\n${KEY}${faults.slice(0, 2).join('')}`), 'unsupported_media_type', 415);
    expectError(await client.send(`POST /v1/things HTTP/1.1\r\n${KEY}${JSON_TYPE}${faults[0]}`), 'payload_too_large', 413);
    expectError(await client.send(`POST /v1/things HTTP/1.1\r\n${KEY}${JSON_TYPE}Content-Length: 2\r\n`, '{'), 'invalid_request', 400);
  });

  it('names the methods of the path in Allow', async () => {
    expect((await client.send(`DELETE /v1/things HTTP/1.1\r\n${HOST}${KEY}`)).headers['allow']).toBe('GET, HEAD, POST, OPTIONS');
    expect((await client.send(`POST /v1/things/7 HTTP/1.1\r\n${HOST}${KEY}`)).headers['allow']).toBe('GET, HEAD, OPTIONS');
  });

  it('names the type to send in Accept where that was wrong, and the coding in Accept-Encoding where that was', async () => {
    const named = async (lines: string, body = '{}') => {
      const head = `POST /v1/things HTTP/1.1\r\n${HOST}${KEY}${lines}Content-Length: ${body.length}\r\n`;
      const answer = await client.send(head, body);
      expectError(answer, 'unsupported_media_type', 415);
      return [answer.headers['accept'], answer.headers['accept-encoding']];
    };
    expect(await named('Content-Type: text/plain\r\n')).toEqual(['application/json', undefined]);
    expect(await named('Content-Type: text/plain\r\n', '')).toEqual(['application/json', undefined]);
    expect(await named(`${JSON_TYPE}Content-Encoding: br\r\n`)).toEqual([undefined, 'identity']);
  });

  it.each(['GET', 'HEAD', 'OPTIONS'])(
    'does not look at a body of %s, and ends the connection if it is beyond the limit',
    async (method) => {
      const head = `${method} /v1/things HTTP/1.1\r\n${HOST}${KEY}Content-Type: text/plain\r\n`;
      const large = 'x'.repeat(BODY_LIMIT + 1);
      for (const [framing, body] of [
        ['Content-Length: 3\r\n', 'xyz'],
        [`Content-Length: ${large.length}\r\n`, large],
        ['Transfer-Encoding: chunked\r\n', `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`],
      ] as const) {
        const { status, headers } = await client.send(head + framing, body);
        expect({ status, connection: headers['connection'] }).toEqual({
          status: method === 'OPTIONS' ? 204 : 200,
          connection: body === 'xyz' ? 'keep-alive' : 'close',
        });
      }
    },
  );

  it('takes an Accept that allows JSON in whatever way', async () => {
    for (const accept of ['*/*', 'application/*', 'text/html, application/json;q=0.5', 'application/json; charset=UTF-8']) {
      expect((await client.get('/v1/things', `Accept: ${accept}\r\n`)).status).toBe(200);
    }
  });

  it('runs the hooks once for a request, in their order', async () => {
    client.sample.hooks.length = 0;
    await client.get('/v1/things/%zz');
    await client.post('{');
    expect(client.sample.hooks).toEqual(['limit GET', 'authenticate GET', 'limit POST', 'authenticate POST']);
  });
});

describe('what is protected', () => {
  it.each(['/v1/things', '/%76%31/things', '/v1/%74hings', 'http://x/v1/things', '/v1', '/graphql', '/graphql/x', '/v1?x', '/internal'])(
    '%s needs a key',
    async (target) => expectError(await client.send(`GET ${target} HTTP/1.1\r\n${HOST}`), 'unauthorized', 401),
  );

  it('a public route does not', async () => {
    expect((await client.send(`GET /docs HTTP/1.1\r\n${HOST}`)).body).toBe('documentation');
  });

  it.each(['/', '/nothing', '/v2/things', '/docs/x', '/V1/things', '//v1/things'])(
    'an unknown path elsewhere is 404: %s',
    async (target) => {
      expectError(await client.send(`GET ${target} HTTP/1.1\r\n${HOST}`), 'not_found', 404);
    },
  );

  it('a target that is no path is 400', async () => {
    expectError(await client.send(`GET *v1/things HTTP/1.1\r\n${HOST}`), 'invalid_request', 400);
    expectError(await client.send(`GET ftp://x/v1/things HTTP/1.1\r\n${HOST}`), 'invalid_request', 400);
  });
});

/** The first is refused later, the second at once. */
describe.each(['-1', '-10'])('the check of a route for the note %s', (id) => {
  const send = (method: string, lines: string, body?: string) =>
    client.send(`${method} /v1/notes/${id} HTTP/1.1\r\n${HOST}${KEY}${lines}`, body);

  it.each([
    ['a body of another type', 'PATCH', 'Content-Type: text/plain\r\nContent-Length: 2\r\n', '{}'],
    ['a body that is too large', 'PATCH', `${JSON_TYPE}Content-Length: ${BODY_LIMIT + 1}\r\n`, ''],
    ['a body that is no JSON', 'PATCH', `${JSON_TYPE}Content-Length: 1\r\n`, '{'],
    ['an encoded body', 'PATCH', `${JSON_TYPE}Content-Encoding: br\r\nContent-Length: 2\r\n`, '{}'],
    ['an Accept without JSON', 'GET', 'Accept: text/html\r\n', undefined],
    ['an unknown expectation', 'DELETE', 'Expect: tea\r\n', undefined],
  ])('goes before the refusal of %s', async (_name, method, lines, body) => {
    expectError(await send(method, lines, body), 'not_found', 404);
  });

  it('comes after the hooks, and after the method', async () => {
    expectError(await client.send(`GET /v1/notes/${id} HTTP/1.1\r\n${HOST}`), 'unauthorized', 401);
    expectError(await send('GET', 'X-Over-Limit: 1\r\n'), 'rate_limited', 429);
    expectError(await send('PUT', ''), 'method_not_allowed', 405);
  });
});

it('a request that the check of a route admits continues', async () => {
  expect((await client.get('/v1/notes/1')).status).toBe(200);
  expectError(await client.get('/v1/notes/1', 'Accept: text/html\r\n'), 'not_acceptable', 406);
});
