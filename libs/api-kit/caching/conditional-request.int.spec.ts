import { HOST, KEY, ToyClient } from '../testing/toy-client.js';

let client: ToyClient;

beforeAll(async () => {
  client = await ToyClient.start();
});

afterEach(() => client.destroyConnections());

afterAll(() => client.stop());

describe('HEAD', () => {
  it.each(['/v1/things', '/v1/things/7'])('has the headers of GET and no body: %s', async (path) => {
    const full = await client.get(path);
    const connection = client.open();
    connection.send(`HEAD ${path} HTTP/1.1\r\n${HOST}${KEY}\r\n`);
    const { status, headers } = await connection.answer({ toHead: true });
    const { date: _, 'x-request-id': __, ...rest } = headers;
    expect(status).toBe(200);
    expect(full.headers).toMatchObject(rest);
    expect(headers['content-length']).toBe(String(full.body.length));
    expect(connection.unread).toBe('');
  });

  it('refuses like GET, without a body', async () => {
    const { status, headers } = await client.send(`HEAD /v1/things HTTP/1.1\r\n${HOST}`);
    expect({ status, type: headers['content-type'] }).toEqual({ status: 401, type: 'application/json; charset=utf-8' });
  });
});

describe('a conditional request', () => {
  it.each(['GET', 'HEAD'])('gets 304 without content to %s when the tag is named', async (method) => {
    const { headers } = await client.get('/v1/things/7');
    const answer = await client.send(`${method} /v1/things/7 HTTP/1.1\r\n${HOST}${KEY}If-None-Match: "x", W/${headers['etag']}\r\n`);
    expect(answer).toMatchObject({ status: 304, body: '' });
    expect(answer.headers).toMatchObject({ etag: headers['etag'], 'cache-control': 'private, no-cache', deprecation: '@1' });
    expect(answer.headers['content-type']).toBeUndefined();
  });

  it('gets 200 when another tag is named', async () => {
    expect((await client.get('/v1/things/7', 'If-None-Match: "x"\r\n')).status).toBe(200);
  });

  it('has a tag that changes with the Link', async () => {
    const [first, second] = await Promise.all([client.get('/v1/things?page=1'), client.get('/v1/things?page=2')]);
    expect(first.body).toBe(second.body);
    expect(first.headers['etag']).not.toBe(second.headers['etag']);
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
