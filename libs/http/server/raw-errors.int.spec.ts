import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApplicationError } from '#libs/observability';
import { COUNTED, IDLE_TIMEOUT } from '../testing/sample-app.js';
import { expectError, HOST, JSON_TYPE, KEY, SampleClient } from '../testing/sample-client.js';
import type { MalformedRequestResult } from './connection.js';

const client = SampleClient.use();

afterEach(() => {
  client.sample.unreadable.verdict = COUNTED;
});

describe('what never becomes a request', () => {
  it.each([
    ['garbage', 'nonsense\r\n\r\n', 400, 'invalid_request'],
    ['an unknown method', `BREW /v1/things HTTP/1.1\r\n${HOST}\r\n`, 400, 'invalid_request'],
    ['HTTP/2 without asking', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505, 'http_version_not_supported'],
    ['CONNECT of HTTP/2.0', 'CONNECT shop:443 HTTP/2.0\r\n\r\n', 505, 'http_version_not_supported'],
    ['a request line without a version', `GET /v1/things\r\n${KEY}\r\n`, 400, 'invalid_request'],
    ['two lengths', `POST /v1/things HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`, 400, 'invalid_request'],
    ['a large head', `GET /v1/things HTTP/1.1\r\n${HOST}X-Filler: ${'x'.repeat(17_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['CONNECT', 'CONNECT shop:443 HTTP/1.1\r\nHost: shop:443\r\n\r\n', 405, 'method_not_allowed'],
  ])('%s is answered with an error body and the connection closed', async (_name, text, status, code) => {
    const connection = client.open();
    connection.send(text);
    const answer = await connection.answer();
    expectError(answer, code, status);
    expect(answer.headers).toMatchObject({ connection: 'close', 'x-ratelimit-limit': 'raw' });
    await connection.ended();
    expect(connection.unread).toBe('');
  });

  it.each([
    ['HTTP/2.0', 505, 'http_version_not_supported'],
    ['HTTP/3.0', 505, 'http_version_not_supported'],
    ['HTTP/0.9', 400, 'invalid_request'],
    ['HTTP/2', 400, 'invalid_request'],
    ['HTTP/x.1', 400, 'invalid_request'],
    ['HTTP/2.00', 400, 'invalid_request'],
    ['http/1.1', 400, 'invalid_request'],
  ])('the version %s is refused, with a key or without, on any path', async (version, status, code) => {
    for (const key of [KEY, '']) {
      expectError(await client.send(`GET /v1/things ${version}\r\n${HOST}${key}`), code, status);
      expectError(await client.send(`GET /docs ${version}\r\n${HOST}${key}`), code, status);
    }
  });

  it.each([
    ['gzip, chunked', '1.1', 501, 'not_implemented'],
    ['gzip , , Chunked', '1.1', 501, 'not_implemented'],
    ['gzip\r\nTransfer-Encoding: chunked', '1.1', 501, 'not_implemented'],
    ['gzip', '1.1', 400, 'invalid_request'],
    ['identity', '1.1', 400, 'invalid_request'],
    ['chunked, gzip', '1.1', 400, 'invalid_request'],
    ['chunked, chunked', '1.1', 400, 'invalid_request'],
    ['chunked;q=1', '1.1', 400, 'invalid_request'],
    ['', '1.1', 400, 'invalid_request'],
    ['chunked', '1.0', 400, 'invalid_request'],
  ])('a body with Transfer-Encoding: %s over HTTP/%s is refused, and what follows is not read', async (coding, version, status, code) => {
    client.sample.hooks.length = 0;
    for (const [method, key] of [
      ['POST', KEY],
      ['POST', ''],
      ['GET', KEY],
      ['OPTIONS', KEY],
    ]) {
      const connection = client.open();
      const head = `${method} /v1/things HTTP/${version}\r\n${HOST}${key}${JSON_TYPE}Connection: keep-alive\r\n`;
      connection.send(`${head}Transfer-Encoding: ${coding}\r\n\r\n2\r\n{}\r\n0\r\n\r\nGET /v1/things HTTP/1.1\r\n${HOST}${KEY}\r\n`);
      const answer = await connection.answer();
      expectError(answer, code, status);
      expect(answer.headers['connection']).toBe('close');
      await connection.ended();
      expect(connection.unread).toBe('');
    }
    expect(client.sample.hooks).toEqual([]);
  });

  it('nothing is done that follows a version that is not spoken', async () => {
    client.sample.hooks.length = 0;
    const connection = client.open();
    connection.send(
      `GET /v1/things HTTP/2.0\r\nConnection: keep-alive\r\n\r\nPOST /v1/things HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}Content-Length: 2\r\n\r\n{}`,
    );
    expectError(await connection.answer(), 'http_version_not_supported', 505);
    await connection.ended();
    expect({ unread: connection.unread, hooks: client.sample.hooks }).toEqual({ unread: '', hooks: [] });
  });

  it.each(['chunked', 'CHUNKED', ', chunked'])('a body with Transfer-Encoding: %s is read', async (coding) => {
    const head = `POST /v1/things HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}Transfer-Encoding: ${coding}\r\n`;
    expect((await client.send(head, '2\r\n{}\r\n0\r\n\r\n')).status).toBe(201);
  });

  it('CONNECT gets the allowed methods', async () => {
    const { headers } = await client.send('CONNECT shop:443 HTTP/1.1\r\nHost: shop:443\r\n');
    expect(headers['allow']).toBe('GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
  });

  it('the head is limited to 16,384 bytes exactly', async () => {
    const head = `GET /v1/things HTTP/1.1\r\n${HOST}${KEY}`;
    const filler = (bytes: number): string => {
      const lines: string[] = [];
      for (let left = bytes - head.length - 2; left > 0; left -= lines.at(-1)?.length ?? left) {
        lines.push(`A: ${'x'.repeat(Math.min(left > 200 ? 100 : left, left) - 5)}\r\n`);
      }
      return lines.join('');
    };
    expect((await client.send(`${head}${filler(16_384)}`)).status).toBe(200);
    expectError(await client.send(`${head}${filler(16_385)}`), 'headers_too_large', 431);
  });

  it.each([
    ['CONNECT', 'CONNECT shop:443 HTTP/1.1\r\n\r\n', 405],
    [
      'a request with a broken body, refused by its head',
      `POST /nothing HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nnonsense\r\n`,
      404,
    ],
    ['a version that is not spoken', 'GET /v1/things HTTP/2.0\r\n\r\n', 505],
    ['a body in a coding that is not known', `POST /v1/things HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`, 501],
  ])('%s is answered after the requests before it', async (_name, text, status) => {
    const connection = client.open();
    connection.send(`GET /v1/things/slow HTTP/1.1\r\n${HOST}${KEY}\r\n${text}`);
    expect((await connection.answer()).status).toBe(200);
    expect((await connection.answer()).status).toBe(status);
    await connection.ended();
  });

  it('a head that does not arrive gets 408', async () => {
    const connection = client.open();
    connection.send('GET /v1/things HTT');
    expectError(await connection.answer(), 'request_timeout', 408);
    await connection.ended();
  });

  it('a body that does not arrive after its request was refused ends the connection without a second answer', async () => {
    const connection = client.open();
    connection.send(`POST /v1/things HTTP/1.1\r\n${HOST}${JSON_TYPE}Content-Length: 9\r\n\r\n{`);
    expectError(await connection.answer(), 'unauthorized', 401);
    await connection.ended();
    expect(connection.unread).toBe('');
  });

  it('a connection on which nothing is sent gets 408', async () => {
    const connection = client.open();
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

  it('a connection without requests ends after the idle time', async () => {
    expect(client.sample.app.getHttpServer().keepAliveTimeout).toBe(IDLE_TIMEOUT);
    const connection = client.open();
    connection.send(`GET /v1/things HTTP/1.1\r\n${HOST}${KEY}\r\n`);
    expect((await connection.answer()).status).toBe(200);
    await connection.ended();
    expect(connection.unread).toBe('');
  });

  it('is counted, answered and logged once, however much of it arrives', async () => {
    const { unreadable } = client.sample;
    let reach: (verdict: MalformedRequestResult) => void = () => undefined;
    unreadable.counted = 0;
    unreadable.verdict = new Promise((resolve) => (reach = resolve));
    const connection = client.open();
    connection.send('nonsense\r\n');
    await until(() => unreadable.counted > 0);
    connection.send('nonsense\r\n');
    reach(COUNTED);
    const answer = await connection.answer();
    expectError(answer, 'invalid_request', 400);
    await connection.ended();
    expect({ unread: connection.unread, counted: unreadable.counted }).toEqual({ unread: '', counted: 1 });
    expect(await client.lineOf(answer.headers['x-request-id'])).toMatchObject({ status: 400 });
  });

  it.each([
    ['by itself', ''],
    ['behind a request', `GET /v1/things/slow HTTP/1.1\r\n${HOST}${KEY}\r\n`],
  ])('is answered and logged %s when its client has ended its side, also when counting takes time', async (_name, before) => {
    const { unreadable } = client.sample;
    unreadable.counted = 0;
    unreadable.verdict = new Promise((resolve) => setTimeout(() => resolve(COUNTED), 50));
    const connection = client.open();
    connection.send(`${before}nonsense\r\n`);
    connection.finish();
    if (before) expect((await connection.answer()).status).toBe(200);
    const answer = await connection.answer();
    expectError(answer, 'invalid_request', 400);
    await connection.ended();
    expect(unreadable.counted).toBe(1);
    expect(await client.lineOf(answer.headers['x-request-id'])).toMatchObject({ status: 400 });
  });

  it('waits once for the answers before it, and nothing behind it is read', async () => {
    const server = client.sample.app.getHttpServer();
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const requested = once(server, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    const connection = client.open();
    const text = `GET /v1/things/slow HTTP/1.1\r\n${HOST}${KEY}\r\nnonsense\r\n`;
    connection.send(text);
    const [[socket]] = await Promise.all([accepted, requested]);
    connection.send('nonsense\r\n'.repeat(100_000));
    expect((await connection.answer()).status).toBe(200);
    expectError(await connection.answer(), 'invalid_request', 400);
    await connection.ended();
    expect(socket.bytesRead).toBe(text.length);
  });

  it('gets the refusal of its counter, even when that takes time', async () => {
    const refusal = new ApplicationError('rate_limited', 'Wait.');
    client.sample.unreadable.verdict = Promise.resolve({ headers: { 'x-ratelimit-limit': 'late' }, refusal });
    const refused = await client.send('nonsense\r\n');
    expectError(refused, 'rate_limited', 429);
    expect(refused.headers['x-ratelimit-limit']).toBe('late');
  });

  it('is answered when it cannot be counted', async () => {
    client.sample.unreadable.verdict = Promise.reject(new Error('the counters are away'));
    expectError(await client.send('nonsense\r\n'), 'invalid_request', 400);
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
