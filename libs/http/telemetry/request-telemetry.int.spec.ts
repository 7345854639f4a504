import { expectError, HOST, JSON_TYPE, KEY, SampleClient } from '../testing/sample-client.js';

describe('request ids and the log', () => {
  const client = SampleClient.use();

  it('keep a sane id of the client, and no other', async () => {
    const idFor = async (id: string) => (await client.get('/v1/things', `X-Request-Id: ${id}\r\n`)).headers['x-request-id'];
    expect(await idFor('my.id-1')).toBe('my.id-1');
    for (const id of ['', 'a b', 'x'.repeat(129), 'a.adopt_dev_key', 'a\r\nX-Request-Id: b']) {
      expect(await idFor(id)).toMatch(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    }
  });

  it('have one line for a request, with its template and its key', async () => {
    const { headers } = await client.get('/v1/things/7?secret=1');
    expect(await client.lineOf(headers['x-request-id'])).toEqual({
      level: 30,
      pid: process.pid,
      msg: 'request',
      requestId: headers['x-request-id'],
      method: 'GET',
      route: '/v1/things/:id',
      status: 200,
      keyId: '7',
      time: expect.anything(),
      durationMs: expect.any(Number),
      hostname: expect.any(String),
    });
  });

  it('have only its line for an upload that the client aborts, and no failure of the service, and say when the client went away', async () => {
    const abort = async (id: string, body: string) => {
      const upload = client.open();
      const headers = `${HOST}${KEY}${JSON_TYPE}Expect: 100-continue\r\nX-Request-Id: ${id}\r\nContent-Length: 9\r\n`;
      upload.send(`POST /v1/things HTTP/1.1\r\n${headers}\r\n`);
      expect((await upload.answer()).status).toBe(100);
      if (body) upload.send(body);
      upload.reset();
      return client.lineOf(id);
    };
    expect(await abort('gone', '')).toMatchObject({ aborted: true });
    await abort('broken-off', '{');
    await client.get('/v1/things');
    expect(client.sample.lines.filter(({ requestId }) => requestId === 'broken-off')).toMatchObject([{ level: 30, msg: 'request' }]);
  });

  it('never hold a key, wherever a client put it', async () => {
    const key = `adopt_dev_${'A1b'.repeat(14)}z_0abcDE`;
    const encoded = key.replace('adopt', '%61dopt');
    for (const target of [`/v1/${key}`, `/v1/things?page=${key}`, `/${encoded}`, `/v1/%zz/${key}`, `/docs/${key}`]) {
      const { headers } = await client.send(`GET ${target} HTTP/1.1\r\n${HOST}Authorization: Bearer ${key}\r\nX-Request-Id: ${key}\r\n`);
      await client.lineOf(headers['x-request-id']);
    }
    expect(JSON.stringify(client.sample.lines)).not.toContain('A1bA1b');
  });

  it('tell the cause of a failure by type, message and stack, and the client nothing', async () => {
    const answer = await client.get('/v1/things/broken');
    expectError(answer, 'internal_error', 500);
    expect(answer.body).not.toContain('query');
    const line = client.sample.lines.find(({ msg, requestId }) => msg === 'request failed' && requestId === answer.headers['x-request-id']);
    expect(line?.['keyId']).toBe('7');
    expect(line?.['err']).toEqual({ type: 'Error', message: 'the query *** failed', stack: expect.any(String) as string });
  });
});
