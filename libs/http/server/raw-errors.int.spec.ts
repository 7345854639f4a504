import { ApplicationError } from '#libs/observability';
import { until } from '#libs/testing';
import { COUNTED, IDLE_TIMEOUT } from '../testing/sample-app.js';
import { expectError, HOST, JSON_TYPE, KEY, SampleClient } from '../testing/sample-client.js';
import type { MalformedRequestResult } from './raw-errors.js';

const GET = `GET /v1/things HTTP/1.1\r\n${HOST}`;
const POST = `POST /v1/things HTTP/1.1\r\n${HOST}`;
const SLOW = `GET /v1/things/slow HTTP/1.1\r\n${HOST}${KEY}\r\n`;
const CHUNKED = '2\r\n{}\r\n0\r\n\r\n';

describe('what never becomes a request', () => {
  const client = SampleClient.use();

  afterEach(() => {
    client.sample.unreadable.verdict = COUNTED;
    client.sample.unreadable.counted = 0;
    client.sample.hooks.length = 0;
  });

  /** A connection that gets this error, as one whose refusal closes it, for what is sent; nothing that follows is done. */
  const expectRefused = async (text: string, code: string, status: number) => {
    const connection = client.open();
    connection.send(text);
    const answer = await connection.answer();
    expectError(answer, code, status);
    expect(answer.headers['connection']).toBe('close');
    await connection.ended();
    expect(connection.unread).toBe('');
    return answer;
  };

  it.each([
    ['garbage', 'nonsense\r\n\r\n', 400, 'invalid_request'],
    ['an unknown method', `BREW /v1/things HTTP/1.1\r\n${HOST}\r\n`, 400, 'invalid_request'],
    ['two lengths', `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, 'invalid_request'],
    ['a large head', `${GET}X-Filler: ${'x'.repeat(17_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['CONNECT', 'CONNECT shop:443 HTTP/1.1\r\nHost: shop:443\r\n\r\n', 405, 'method_not_allowed'],
  ])('%s is answered with an error body, counted by itself, and the connection closed', async (_name, text, status, code) => {
    const { headers } = await expectRefused(text, code, status);
    expect(headers['x-ratelimit-limit']).toBe('raw');
    if (status === 405) expect(headers['allow']).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
  });

  it.each([
    ['gzip, chunked', '1.1'],
    ['gzip\r\nTransfer-Encoding: chunked', '1.1'],
    ['gzip', '1.1'],
    ['chunked, gzip', '1.1'],
    ['chunked, chunked', '1.1'],
    ['', '1.1'],
    ['chunked', '1.0'],
    ['chunked', '2.0'],
  ])('a body with Transfer-Encoding: %s over HTTP/%s is refused, and what follows is not read', async (coding, version) => {
    for (const start of [`POST /v1/things HTTP/${version}\r\n`, `GET / HTTP/${version}\r\n`]) {
      const head = `${start}${HOST}${KEY}${JSON_TYPE}Connection: keep-alive\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
      await expectRefused(`${head}${CHUNKED}${GET}${KEY}\r\n`, 'invalid_request', 400);
    }
    expect(client.sample.hooks.filter((hook) => hook.endsWith('GET'))).toEqual([]);
  });

  it.each([
    ['CONNECT', 'CONNECT shop:443 HTTP/1.1\r\n\r\n', 405],
    ['a request with a broken body', `POST /nothing HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`, 404],
  ])('%s is answered after the requests before it', async (_name, text, status) => {
    const connection = client.open();
    connection.send(`${SLOW}${text}`);
    expect((await connection.answer()).status).toBe(200);
    expect((await connection.answer()).status).toBe(status);
    await connection.ended();
  });

  it.each([
    ['a head that does not arrive', 'GET /v1/things HTT'],
    ['a connection on which nothing is sent', ''],
  ])('%s gets 408', async (_name, text) => {
    const connection = client.open();
    if (text) connection.send(text);
    expectError(await connection.answer(), 'request_timeout', 408);
    await connection.ended();
  });

  it('a head that comes byte by byte does not hold a connection for longer', async () => {
    const connection = client.open();
    const head = `GET /v1/things HTTP/1.1\r\nX-Slow: ${'x'.repeat(10_000)}`;
    let sent = 0;
    const drip = setInterval(() => connection.send(head.charAt(sent++)), 5);
    const answer = await connection.answer();
    clearInterval(drip);
    expectError(answer, 'request_timeout', 408);
  });

  it('a body that does not arrive after its request was refused ends the connection without a second answer', async () => {
    const connection = client.open();
    connection.send(`${POST}${JSON_TYPE}Content-Length: 9\r\n\r\n{`);
    expectError(await connection.answer(), 'unauthorized', 401);
    await connection.ended();
    expect(connection.unread).toBe('');
  });

  it('a connection without requests ends after the idle time', async () => {
    expect(client.sample.app.getHttpServer().keepAliveTimeout).toBe(IDLE_TIMEOUT);
    const connection = client.open();
    connection.send(`${GET}${KEY}\r\n`);
    expect((await connection.answer()).status).toBe(200);
    await connection.ended();
    expect(connection.unread).toBe('');
  });

  it.each([
    ['by itself', ''],
    ['behind a request', SLOW],
  ])(
    'is counted, answered and logged once %s, however much of it arrives and when its client has ended its side',
    async (_name, before) => {
      const { unreadable } = client.sample;
      let reach: (verdict: MalformedRequestResult) => void = () => undefined;
      unreadable.verdict = new Promise((resolve) => (reach = resolve));
      const connection = client.open();
      connection.send(`${before}nonsense\r\n`);
      await until(() => unreadable.counted > 0);
      connection.send('nonsense\r\n');
      connection.finish();
      reach(COUNTED);
      if (before) expect((await connection.answer()).status).toBe(200);
      const answer = await connection.answer();
      expectError(answer, 'invalid_request', 400);
      await connection.ended();
      expect({ unread: connection.unread, counted: unreadable.counted }).toEqual({ unread: '', counted: 1 });
      expect(await client.lineOf(answer.headers['x-request-id'])).toMatchObject({ status: 400 });
    },
  );

  it('gets the refusal of its counter, even when that takes time, and is answered when it cannot be counted', async () => {
    const refusal = new ApplicationError('rate_limited', 'Wait.');
    client.sample.unreadable.verdict = Promise.resolve({ headers: { 'x-ratelimit-limit': 'late' }, refusal });
    expect((await expectRefused('nonsense\r\n', 'rate_limited', 429)).headers['x-ratelimit-limit']).toBe('late');
    client.sample.unreadable.verdict = Promise.reject(new Error('the counters are away'));
    await expectRefused('nonsense\r\n', 'invalid_request', 400);
  });
});
