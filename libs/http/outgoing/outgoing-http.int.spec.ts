import type { LookupAddress } from 'node:dns';
import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OutgoingHttp, type OutgoingHttpOptions, type PostOutcome, type PostRequest } from './outgoing-http.js';
import type { Resolve } from './endpoint.js';
import { LocalServer, type Reaction } from './testing/local-server.js';

const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n';
const KIBIBYTE = 'x'.repeat(1_024);
const TIMED_OUT = 'no answer within 0.2 s';
const CLOSED = 'request failed (UND_ERR_SOCKET)';
const STOPPED = 'request failed (UND_ERR_DESTROYED)';
const GIVEN_UP = 'given up before an answer';
const PUBLIC = { address: '93.184.216.34', family: 4 };
const LOOPBACK = { address: '127.0.0.1', family: 4 };

const failed = (error: string) => ({ error, durationMilliseconds: expect.any(Number) });
const answered = (status: number) => ({ status, durationMilliseconds: expect.any(Number) });

function post(http: OutgoingHttp, url: string, request: Partial<PostRequest> = {}): Promise<PostOutcome> {
  return http.post(url, { headers: { 'content-type': 'text/plain' }, body: Buffer.from('hello'), ...request });
}

/** Writes this, then a byte at a time for as long as anybody listens. */
function trickle(socket: Socket, start: string, byte: string): void {
  if (start) socket.write(start);
  const timer = setInterval(() => socket.write(byte), 20);
  socket.on('close', () => clearInterval(timer));
}

/** Writes for as long as anybody takes it. */
function pour(socket: Socket, text: string): void {
  const more = () => {
    while (socket.writable && socket.write(text));
  };
  socket.on('drain', more);
  more();
}

async function ended(sockets: readonly Socket[]): Promise<void> {
  const closing = sockets.filter(({ closed }) => !closed);
  await Promise.all(closing.map((socket) => new Promise((resolve) => socket.resume().on('close', resolve))));
}

/** Finds these, one list after the other. */
function finding(...answers: LookupAddress[][]): Resolve {
  return async () => answers.shift() ?? [];
}

describe('a message to an endpoint', () => {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  const serverThat = async (reaction: Reaction): Promise<LocalServer> => {
    const server = await LocalServer.start(reaction);
    opened.push(server);
    return server;
  };
  const serverThatWrites = (text: string) => serverThat((socket) => socket.write(text));
  const client = (options: Partial<OutgoingHttpOptions> = {}): OutgoingHttp => {
    const http = new OutgoingHttp({ allowedPorts: [], allowLoopback: true, timeout: 10_000, ...options });
    opened.push(http);
    return http;
  };

  it('goes out with its own headers and body, and brings the status', async () => {
    const server = await serverThatWrites(NO_CONTENT);
    expect(await post(client(), `${server.url()}?a=%20&b`, { headers: { 'X-Signature': 'abc' } })).toEqual(answered(204));
    expect(server.requests).toEqual([
      `POST /hooks?a=%20&b HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nconnection: keep-alive\r\nX-Signature: abc\r\ncontent-length: 5\r\n\r\nhello`,
    ]);
    expect(await post(client(), server.url(), { body: Buffer.alloc(0) })).toEqual(answered(204));
    expect(server.requests[1]).toMatch(/content-length: 0\r\n\r\n$/);
    await expect(post(client(), server.url(), { headers: { a: 'b\r\nc: d' } })).rejects.toThrow('invalid a header');
  });

  it('follows no redirect', async () => {
    const other = await serverThatWrites(NO_CONTENT);
    const server = await serverThatWrites(`HTTP/1.1 307 Elsewhere\r\nlocation: ${other.url()}\r\ncontent-length: 0\r\n\r\n`);
    expect(await post(client(), server.url())).toEqual(answered(307));
    expect(other.connections).toEqual([]);
  });

  it('brings Retry-After, the answer behind interim ones, and that of a receiver that does not read it', async () => {
    const late = await serverThatWrites('HTTP/1.1 500 No\r\nRetry-After: Wed, 1 \r\ncontent-length: 2\r\n\r\nno');
    expect(await post(client(), late.url())).toEqual({ ...answered(500), retryAfter: 'Wed, 1' });
    const hinting = await serverThatWrites(`HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n${NO_CONTENT}`);
    expect(await post(client(), hinting.url())).toEqual(answered(204));
    const deaf = await serverThat(() => undefined);
    void deaf.nextConnection().then((socket) => socket.pause().write('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'));
    expect(await post(client(), deaf.url(), { body: Buffer.alloc(32 * 1_024 * 1_024) })).toEqual(answered(500));
  });

  it('leaves nothing on the signal of its caller, which gives it up before and while it is sent', async () => {
    const server = await serverThatWrites(NO_CONTENT);
    const http = client();
    const { signal } = new AbortController();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => post(http, server.url(), { signal })));
    expect(outcomes.every(({ error }) => error === undefined)).toBe(true);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    const caller = new AbortController();
    const hanging = await serverThat(() => caller.abort());
    expect(await post(http, hanging.url(), { signal: caller.signal })).toEqual(failed(GIVEN_UP));
    await ended(hanging.connections);
    expect(await post(client(), server.url(), { signal: AbortSignal.abort() })).toEqual(failed(GIVEN_UP));
    expect(server.requests).toHaveLength(20);
  });

  it('is not sent in the clear to one that does not speak TLS', async () => {
    const server = await serverThat(() => undefined);
    void server.nextConnection().then((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await post(client(), server.url('127.0.0.1', 'https'))).toEqual(failed('request failed (ERR_SSL_WRONG_VERSION_NUMBER)'));
    expect(server.requests).toEqual([]);
  });

  it.each<[string, Reaction]>([
    ['never answers', () => undefined],
    ['trickles its head', (socket) => trickle(socket, 'HTTP/1.1 200 OK\r\na: ', 'a')],
    ['sends interim answers for ever', (socket) => trickle(socket, '', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('to one that %s runs out of time, and its connection is ended', async (_what, reaction) => {
    const server = await serverThat(reaction);
    expect(await post(client({ timeout: 200 }), server.url())).toEqual(failed(TIMED_OUT));
    await ended(server.connections);
  });

  it('whose look-up does not end runs out of time', async () => {
    const http = client({ resolve: () => new Promise(() => undefined), timeout: 200 });
    expect(await post(http, 'http://a.example')).toEqual(failed(TIMED_OUT));
  });

  it.each<[string, string, string]>([
    ['closes in its head', 'HTTP/1.1 200 OK\r\ncontent-le', CLOSED],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'request failed (HTTPParserError)'],
    ['has a head without an end', `HTTP/1.1 200 OK\r\n${`a: ${KIBIBYTE}\r\n`.repeat(32)}`, 'request failed (UND_ERR_HEADERS_OVERFLOW)'],
  ])('to one that %s is not answered', async (_what, text, error) => {
    const server = await serverThat((socket) => socket.end(text));
    expect(await post(client(), server.url())).toEqual(failed(error));
    await ended(server.connections);
    const url = server.url();
    await server.close();
    opened.splice(opened.indexOf(server), 1);
    expect(await post(client(), url)).toEqual(failed('request failed (ECONNREFUSED)'));
  });

  it.each<[string, Reaction]>([
    ['pours', (socket) => pour(socket, KIBIBYTE)],
    ['never sends', () => undefined],
    ['trickles', (socket) => trickle(socket, '', 'a')],
    ['closes in', (socket) => socket.end('a')],
  ])('is answered by the head of one that %s its body, which ends the connection', async (_how, sendBody) => {
    const server = await serverThat((socket, request) => {
      socket.write('HTTP/1.1 202 OK\r\ncontent-length: 9999999\r\n\r\n');
      sendBody(socket, request);
    });
    expect(await post(client(), server.url())).toEqual(answered(202));
    await ended(server.connections);
  });

  it('uses a connection again whose short body has come', async () => {
    const server = await serverThatWrites('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    const http = client();
    for (let sent = 0; sent < 3; sent++) {
      expect(await post(http, server.url())).toEqual(answered(200));
      await nextTurn();
    }
    expect(server.connections.length).toBe(1);
  });

  it('shares its connection with no other under way, so that a slow one delays none', async () => {
    const waiting: Socket[] = [];
    const server = await serverThat((socket, request) => (request.endsWith('slow') ? waiting.push(socket) : socket.write(NO_CONTENT)));
    const http = client();
    await post(http, server.url());
    const slow = [1, 2, 3].map(() => post(http, server.url(), { body: Buffer.from('slow') }));
    for (let sent = 0; sent < 5; sent++) expect(await post(http, server.url())).toEqual(answered(204));
    for (const socket of waiting) socket.write(NO_CONTENT);
    expect(await Promise.all(slow)).toEqual([answered(204), answered(204), answered(204)]);
  });

  it('fails when all is closed while it is under way, and idle connections end', async () => {
    const reached: (() => void)[] = [];
    const server = await serverThat((socket, request) => (request.endsWith('slow') ? reached.shift()?.() : socket.write(NO_CONTENT)));
    const http = client();
    await post(http, server.url());
    const hanging = new Promise<void>((resolve) => reached.push(resolve));
    const slow = post(http, server.url(), { body: Buffer.from('slow') });
    const looking = post(client({ resolve: () => new Promise(() => undefined) }), 'http://a.example');
    await hanging;
    await http.close();
    await opened.splice(-1)[0]?.close();
    expect(await Promise.all([slow, looking, post(http, server.url())])).toEqual([failed(STOPPED), failed(STOPPED), failed(STOPPED)]);
    await ended(server.connections);
    expect(server.requests.length).toBe(2);
  });

  it('tries the next address if the first accepts none', async () => {
    const plain = await LocalServer.start((socket) => socket.write(NO_CONTENT), '127.0.0.1');
    opened.push(plain);
    const http = client({ resolve: finding([{ address: '::1', family: 6 }, LOOPBACK]) });
    expect(await post(http, plain.url('a.example'))).toEqual(answered(204));
  });

  describe('makes no connection', () => {
    const notPublic = failed('url must lead to public addresses only, and a.example does not');
    let server: LocalServer;
    beforeEach(async () => {
      server = await LocalServer.startSecure((socket) => socket.write(NO_CONTENT));
      opened.push(server);
    });
    const outside = (resolve: Resolve) => client({ allowedPorts: [server.port], allowLoopback: false, resolve });
    const url = () => server.url('a.example', 'https');

    it.each(['2130706433', '[::ffff:127.0.0.1]', 'a.localhost'])('to %s', async (host) => {
      expect(await post(outside(finding()), server.url(host, 'https'))).toMatchObject({
        error: expect.stringMatching(/^url must (?:not )?lead to/),
      });
      expect(server.connections).toEqual([]);
    });

    it('if the name leads elsewhere than when it was checked', async () => {
      const http = outside(finding([PUBLIC], [LOOPBACK]));
      expect(await http.problemWith(url())).toBeUndefined();
      expect(await post(http, url())).toEqual(notPublic);
      expect(server.connections).toEqual([]);
    });

    it.each([
      ['first', [LOOPBACK, PUBLIC]],
      ['last', [PUBLIC, LOOPBACK]],
      ['only in a mapped form', [{ address: '::ffff:127.0.0.1', family: 6 }]],
    ])('if a private address is found %s', async (_where, found) => {
      expect(await post(outside(finding(found)), url())).toEqual(notPublic);
      expect(server.connections).toEqual([]);
    });

    it('after the request was given up', async () => {
      const caller = new AbortController();
      const lookup = new Promise<readonly LookupAddress[]>((resolve) => caller.signal.addEventListener('abort', () => resolve([LOOPBACK])));
      const http = client({ resolve: () => lookup });
      const outcome = post(http, url(), { signal: caller.signal });
      caller.abort();
      expect(await outcome).toEqual(failed(GIVEN_UP));
      await http.close();
      expect(server.requests).toEqual([]);
    });
  });
});
