import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expectError, HOST, JSON_TYPE, KEY, SampleClient } from '../testing/sample-client.js';

const HEAD = `POST /v1/things HTTP/1.1\r\n${HOST}`;

describe('requests and their bodies', () => {
  const client = SampleClient.use();

  it('keep the digits of numbers both ways, and get the general headers', async () => {
    const { status, headers, body } = await client.get('http://other.example/v1/things');
    expect({ status, body }).toEqual({ status: 200, body: '[{"id":9223372036854775807,"name":"Ana"}]' });
    expect(headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'private, no-cache' });
    expect((await client.post('{"a":9223372036854775807.10}')).body).toBe('{"given":{"a":9223372036854775807.10},"isKept":true}');
    expect((await client.send(`GET /v1/things HTTP/1.0\r\n${KEY}`)).status).toBe(200);
  });

  it.each([
    ['invalid JSON', '{"a":}', /position/],
    ['a duplicate member', '{"a":1,"a":2}', /Duplicate key/],
    ['nothing', '', /JSON object/],
  ])('with %s get 400, and the connection lives on', async (_name, body, message) => {
    const connection = client.open();
    const head = `${HEAD}${KEY}${JSON_TYPE}`;
    connection.send(`${head}Content-Length: ${body.length}\r\n\r\n${body}${head}Content-Length: 2\r\n\r\n{}`);
    const answer = await connection.answer();
    expectError(answer, 'invalid_request', 400);
    expect(answer.body).toMatch(message);
    expect((await connection.answer()).status).toBe(201);
  });

  it('with broken chunking get 400, or 401 without a key, and are counted once', async () => {
    client.sample.hooks.length = 0;
    const head = `${HEAD}${JSON_TYPE}Transfer-Encoding: chunked\r\n`;
    const answer = await client.send(`${head}${KEY}`, 'nonsense\r\n');
    expectError(answer, 'invalid_request', 400);
    expect(answer.headers['x-ratelimit-limit']).toBe('plan');
    expectError(await client.send(head, 'nonsense\r\n'), 'unauthorized', 401);
    expect(client.sample.hooks.filter((hook) => hook === 'limit POST')).toHaveLength(2);
  });

  it('that were refused have a small body drained, behind which the connection lives on', async () => {
    const connection = client.open();
    connection.send(`${HEAD}${JSON_TYPE}Content-Length: 6\r\n\r\n`);
    expectError(await connection.answer(), 'unauthorized', 401);
    connection.send(`{"a":1GET /v1/things/2 HTTP/1.1\r\n${HOST}${KEY}\r\n`);
    expect((await connection.answer()).body).toBe('{"id":"2"}');
  });

  it('that were refused have a large body not read: the answer can be read and the connection ends', async () => {
    const accepted = once(client.sample.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    const connection = client.open();
    connection.send(`${HEAD}${JSON_TYPE}Content-Length: 300000000\r\n\r\n`);
    for (let sent = 0; sent < 64 && connection.send(Buffer.alloc(1 << 20)); sent++);
    const answer = await connection.answer();
    expectError(answer, 'unauthorized', 401);
    expect(answer.headers['connection']).toBe('close');
    await connection.ended();
    expect((await accepted)[0].bytesRead).toBeLessThan(1 << 18);
  });

  it('get 100 Continue once they are admitted, not before', async () => {
    const admitted = client.open();
    admitted.send(`${HEAD}${KEY}${JSON_TYPE}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`);
    expect((await admitted.answer()).status).toBe(100);
    admitted.send('{}');
    expect((await admitted.answer()).status).toBe(201);
    const refused = await client.send(`${HEAD}${JSON_TYPE}Expect: 100-continue\r\nContent-Length: 2\r\n`);
    expectError(refused, 'unauthorized', 401);
    expect(refused.headers['connection']).toBe('close');
  });
});
