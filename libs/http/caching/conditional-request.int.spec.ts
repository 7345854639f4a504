import { expectError, HOST, KEY, SampleClient } from '../testing/sample-client.js';

describe('a conditional request', () => {
  const client = SampleClient.use();

  it.each(['GET', 'HEAD'])('gets 304 without content to %s when the tag is named, and keeps its connection', async (method) => {
    const { headers } = await client.get('/v1/things/7');
    const connection = client.open();
    connection.send(`${method} /v1/things/7 HTTP/1.1\r\n${HOST}${KEY}If-None-Match: "x", W/${headers['etag']}\r\n\r\n`);
    connection.send(`GET /v1/things/1 HTTP/1.1\r\n${HOST}${KEY}\r\n`);
    const answer = await connection.answer({ toHead: true });
    expect(answer).toMatchObject({
      status: 304,
      body: '',
      headers: { etag: headers['etag'], 'cache-control': 'private, no-cache', deprecation: '@1' },
    });
    expect(answer.headers['content-type']).toBeUndefined();
    expect((await connection.answer()).body).toBe('{"id":"1"}');
  });

  it('looks at If-Match only where the answer would be 200, and never at dates, for which there is no Last-Modified', async () => {
    const condition = 'If-Match: "x"\r\n';
    expectError(await client.get('/v1/nothing', condition), 'not_found', 404);
    expectError(await client.get('/v1/things?nothing', condition), 'invalid_parameter', 400);
    expectError(await client.send(`GET /v1/things HTTP/1.1\r\n${HOST}${condition}`), 'unauthorized', 401);
    const open = await client.get('/docs', condition);
    expect([open.status, open.headers['etag']]).toEqual([200, undefined]);
    const past = 'Thu, 01 Jan 1970 00:00:00 GMT';
    expect((await client.get('/v1/things/7', `If-Unmodified-Since: ${past}\r\nIf-Modified-Since: ${past}\r\n`)).status).toBe(200);
  });
});
