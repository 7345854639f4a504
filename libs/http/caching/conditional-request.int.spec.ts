import { expectError, HOST, KEY, SampleClient } from '../testing/sample-client.js';

const client = SampleClient.use();

describe('a conditional request', () => {
  it.each(['GET', 'HEAD'])('gets 304 without content to %s when the tag is named', async (method) => {
    const { headers } = await client.get('/v1/things/7');
    const answer = await client.send(`${method} /v1/things/7 HTTP/1.1\r\n${HOST}${KEY}If-None-Match: "x", W/${headers['etag']}\r\n`);
    expect(answer).toMatchObject({ status: 304, body: '' });
    expect(answer.headers).toMatchObject({ etag: headers['etag'], 'cache-control': 'private, no-cache', deprecation: '@1' });
    expect(answer.headers['content-type']).toBeUndefined();
  });

  it('looks at If-Match only where the answer would be 200, and never at dates, for which there is no Last-Modified', async () => {
    const condition = 'If-Match: "x"\r\n';
    expectError(await client.get('/v1/nothing', condition), 'not_found', 404);
    expectError(await client.get('/v1/things?nothing', condition), 'invalid_parameter', 400);
    expectError(await client.send(`GET /v1/things HTTP/1.1\r\n${HOST}${condition}`), 'unauthorized', 401);
    expect((await client.get('/docs', condition)).status).toBe(200);
    const past = 'Thu, 01 Jan 1970 00:00:00 GMT';
    expect((await client.get('/v1/things/7', `If-Unmodified-Since: ${past}\r\nIf-Modified-Since: ${past}\r\n`)).status).toBe(200);
  });

  it('keeps its connection after 304', async () => {
    const connection = client.open();
    connection.send(`GET /v1/things HTTP/1.1\r\n${HOST}${KEY}If-None-Match: *\r\n\r\nGET /v1/things/1 HTTP/1.1\r\n${HOST}${KEY}\r\n`);
    expect((await connection.answer()).status).toBe(304);
    expect((await connection.answer()).body).toBe('{"id":"1"}');
  });

  it('has no tag where the answer is public or an error', async () => {
    expect((await client.get('/docs')).headers['etag']).toBeUndefined();
    expect((await client.get('/v1/nothing')).headers['etag']).toBeUndefined();
  });
});
