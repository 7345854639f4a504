import { array, assert, asyncProperty, constantFrom, oneof, uint8Array } from 'fast-check';
import type { LookupAddress } from 'node:dns';
import { getEventListeners } from 'node:events';
import type { Socket } from 'node:net';
import { OutgoingHttp, type OutgoingHttpOptions, type PostOutcome, type PostRequest } from './outgoing-http.js';
import type { Resolve } from './endpoint.js';
import { LocalServer, type Reaction } from './testing/local-server.js';

const NO_CONTENT = 'HTTP/1.1 204 No Content\r\n\r\n';
const KIBIBYTE = 'x'.repeat(1_024);
const TIMED_OUT = 'no complete answer within 0.2 s';
const CLOSED = 'closed the connection before a complete answer';

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of opened.splice(0).reverse()) await one.close();
});

async function serverThat(reaction: Reaction): Promise<LocalServer> {
  const server = await LocalServer.start(reaction);
  opened.push(server);
  return server;
}

function client(options: Partial<OutgoingHttpOptions> = {}): OutgoingHttp {
  const http = new OutgoingHttp({ allowedPorts: [], allowLoopback: true, timeout: 10_000, ...options });
  opened.push(http);
  return http;
}

function post(http: OutgoingHttp, url: string, request: Partial<PostRequest> = {}): Promise<PostOutcome> {
  return http.post(url, { headers: { 'content-type': 'text/plain' }, body: Buffer.from('hello'), ...request });
}

const failed = (error: string) => ({ kind: 'failed', error, durationMilliseconds: expect.any(Number) });
const answered = (status: number) => ({ kind: 'answered', status, durationMilliseconds: expect.any(Number) });

/** Writes a text, a byte at a time, for as long as anybody listens. */
function trickle(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), 20);
  socket.on('close', () => clearInterval(timer));
}

/** A socket over which this was written. */
function begun(socket: Socket, text: string): Socket {
  socket.write(text);
  return socket;
}

/** Writes for as long as anybody takes it. */
function pour(socket: Socket, text: string): void {
  const more = () => {
    while (socket.writable && socket.write(text));
  };
  socket.on('drain', more);
  more();
}

describe('a message', () => {
  it('goes out with its own headers and body, and brings the status', async () => {
    const server = await serverThat((socket) => socket.write(NO_CONTENT));
    expect(await post(client(), `${server.url()}?a=%20&b`, { headers: { 'X-Signature': 'abc' } })).toEqual(answered(204));
    expect(server.requests).toEqual([
      `POST /hooks?a=%20&b HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nconnection: keep-alive\r\nX-Signature: abc\r\ncontent-length: 5\r\n\r\nhello`,
    ]);
  });

  it.each(['localhost', '[::1]', 'a.localhost', 'LOCALHOST.'])('reaches %s in development', async (host) => {
    const server = await serverThat((socket) => socket.write(NO_CONTENT));
    expect(await post(client(), server.url(host))).toEqual(answered(204));
  });

  it('may be empty', async () => {
    const server = await serverThat((socket) => socket.write(NO_CONTENT));
    expect(await post(client(), server.url(), { body: Buffer.alloc(0) })).toEqual(answered(204));
    expect(server.requests[0]).toMatch(/content-length: 0\r\n\r\n$/);
  });

  it('that is answered 500 brings what Retry-After says', async () => {
    const server = await serverThat((socket) => socket.write('HTTP/1.1 500 No\r\nRetry-After: Wed, 1 \r\ncontent-length: 2\r\n\r\nno'));
    expect(await post(client(), server.url())).toEqual({ ...answered(500), retryAfter: 'Wed, 1' });
  });

  it('follows no redirect', async () => {
    const other = await serverThat((socket) => socket.write(NO_CONTENT));
    const server = await serverThat((socket) =>
      socket.write(`HTTP/1.1 307 Elsewhere\r\nlocation: ${other.url()}\r\ncontent-length: 0\r\n\r\n`),
    );
    expect(await post(client(), server.url())).toEqual(answered(307));
    expect(other.connections).toEqual([]);
  });

  it('is answered by what follows interim answers', async () => {
    const server = await serverThat((socket) => socket.write(`HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\n${NO_CONTENT}`));
    expect(await post(client(), server.url())).toEqual(answered(204));
  });

  it('is answered by a receiver that does not read it', async () => {
    const server = await serverThat(() => undefined);
    void server.nextConnection().then((socket) => socket.pause().write('HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n'));
    expect(await post(client(), server.url(), { body: Buffer.alloc(32 * 1_024 * 1_024) })).toEqual(answered(500));
  });

  it('is refused before it is sent where a header cannot be sent', async () => {
    const server = await serverThat((socket) => socket.write(NO_CONTENT));
    await expect(post(client(), server.url(), { headers: { a: 'b\r\nc: d' } })).rejects.toThrow('invalid a header');
  });

  it('shares the signal of its caller with others, and leaves nothing on it', async () => {
    const server = await serverThat((socket) => socket.write(NO_CONTENT));
    const http = client();
    const { signal } = new AbortController();
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => post(http, server.url(), { signal })));
    expect(outcomes.every(({ kind }) => kind === 'answered')).toBe(true);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is not sent in the clear to one that does not speak TLS', async () => {
    const server = await serverThat(() => undefined);
    void server.nextConnection().then((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    expect(await post(client(), server.url('127.0.0.1', 'https'))).toEqual(failed('no TLS connection could be made'));
    expect(server.requests).toEqual([]);
  });

  it('is given up when its caller wishes', async () => {
    const caller = new AbortController();
    const server = await serverThat(() => caller.abort());
    expect(await post(client(), server.url(), { signal: caller.signal })).toEqual(failed('given up before an answer'));
    await ended(server.connections);
  });

  it('is not sent once it was given up', async () => {
    const server = await serverThat((socket) => socket.write(NO_CONTENT));
    expect(await post(client(), server.url(), { signal: AbortSignal.abort() })).toEqual(failed('given up before an answer'));
    await post(client(), server.url());
    expect(server.connections.length).toBe(1);
  });
});

describe('a receiver', () => {
  it.each<[string, Reaction]>([
    ['never answers', () => undefined],
    ['trickles its head', (socket) => trickle(begun(socket, 'HTTP/1.1 200 OK\r\na: '), 'a')],
    ['trickles its status', (socket) => trickle(socket, 'HTTP/1.1 200 ')],
    ['trickles a body without a length', (socket) => trickle(begun(socket, 'HTTP/1.1 200 OK\r\n\r\n'), 'a')],
    ['trickles its chunks', (socket) => trickle(begun(socket, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'), '1\r\na\r\n')],
    ['sends interim answers for ever', (socket) => trickle(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n')],
    ['stops in its body', (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhal')],
  ])('that %s runs out of time, and its connection is ended', async (_what, reaction) => {
    const server = await serverThat(reaction);
    expect(await post(client({ timeout: 200 }), server.url())).toEqual(failed(TIMED_OUT));
    await ended(server.connections);
  });

  it('that does not continue with TLS times out, and its connection is ended', async () => {
    const server = await serverThat(() => undefined);
    expect(await post(client({ timeout: 200 }), server.url('127.0.0.1', 'https'))).toEqual(failed(TIMED_OUT));
    await ended(server.connections);
  });

  it('whose look-up does not end runs out of time', async () => {
    const http = client({ resolve: () => new Promise(() => undefined), timeout: 200 });
    expect(await post(http, 'http://a.example')).toEqual(failed(TIMED_OUT));
  });

  it('may answer any bytes', async () => {
    const answers: Buffer[] = [];
    const server = await serverThat((socket) => socket.end(answers.at(-1) ?? ''));
    const http = client();
    const parts = constantFrom(
      ...['HTTP/1.1 ', '200', '101', '100', ' OK', '\r\n', '\r\n\r\n', '\n', 'content-length: ', '5', '-1', 'transfer-encoding: chunked'],
      ...['connection: upgrade', 'upgrade: a', 'content-encoding: gzip', 'retry-after: ', 'trailer: a', ': ', 'hello', '0\r\n\r\n', '\0'],
    );
    const text = array(parts).map((some) => Buffer.from(some.join('')));
    const afterHead = text.map((some) => Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\n'), some]));
    await assert(
      asyncProperty(oneof(text, afterHead, uint8Array({ maxLength: 2_000 }).map(Buffer.from)), async (answer) => {
        answers.push(answer);
        expect(['answered', 'failed']).toContain((await post(http, server.url())).kind);
      }),
      { numRuns: 300 },
    );
  });

  it.each<[string, string, string]>([
    ['closes at once', '', CLOSED],
    ['closes in its head', 'HTTP/1.1 200 OK\r\na: b', CLOSED],
    ['closes in its body', 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhal', CLOSED],
    ['closes in its chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhal', CLOSED],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH_9.6\r\n', 'the answer is not valid HTTP/1.1'],
    [
      'ends its chunks early',
      'HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhal',
      'the answer is not valid HTTP/1.1',
    ],
    [
      'switches to another protocol',
      'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: a\r\n\r\n',
      'sent something other than an answer',
    ],
    ['only says that it switches', 'HTTP/1.1 101 Switching\r\n\r\n', 'switched to another protocol unasked'],
    ['asks for the body that it got', 'HTTP/1.1 100 Continue\r\n\r\n', 'sent something other than an answer'],
    ['has a head without an end', `HTTP/1.1 200 OK\r\n${`a: ${KIBIBYTE}\r\n`.repeat(32)}`, 'the head of the answer is too large'],
  ])('that %s has not answered', async (_what, text, error) => {
    const server = await serverThat((socket) => socket.end(text));
    expect(await post(client(), server.url())).toEqual(failed(error));
    await ended(server.connections);
  });

  it('that resets the connection has not answered', async () => {
    const server = await serverThat((socket) => socket.resetAndDestroy());
    expect(await post(client(), server.url())).toEqual(failed(CLOSED));
  });

  it('that is not there has refused', async () => {
    const server = await serverThat(() => undefined);
    const url = server.url();
    await server.close();
    opened.splice(opened.indexOf(server), 1);
    expect(await post(client(), url)).toEqual(failed('connection refused'));
    expect(await post(client(), url.replace('127.0.0.1', 'localhost'))).toEqual(failed('connection refused'));
  });

  it('is heard to 64 KiB, and what follows ends the connection', async () => {
    const server = await serverThat((socket) => pour(begun(socket, 'HTTP/1.1 202 OK\r\n\r\n'), KIBIBYTE));
    expect(await post(client(), server.url())).toEqual(answered(202));
    await ended(server.connections);
  });

  it('may send 64 KiB and keep its connection', async () => {
    const server = await serverThat((socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 65536\r\n\r\n${KIBIBYTE.repeat(64)}`));
    const http = client();
    for (let sent = 0; sent < 5; sent++) expect(await post(http, server.url())).toEqual(answered(200));
    expect(server.connections.length).toBeLessThanOrEqual(2);
  });
});

async function ended(sockets: readonly Socket[]): Promise<void> {
  const closing = sockets.filter(({ closed }) => !closed);
  await Promise.all(closing.map((socket) => new Promise((resolve) => socket.resume().on('close', resolve))));
}

describe('connections', () => {
  it('are used again, one after the other', async () => {
    const server = await serverThat((socket) => socket.write(NO_CONTENT));
    const http = client();
    for (let sent = 0; sent < 5; sent++) expect(await post(http, server.url())).toEqual(answered(204));
    // A request that follows at once may find the first connection not yet given back.
    expect(server.connections.length).toBeLessThanOrEqual(2);
    expect(server.requests.length).toBe(5);
  });

  it('are not shared by messages under way, so that a slow one delays none', async () => {
    const waiting: Socket[] = [];
    const server = await serverThat((socket, request) => (request.endsWith('slow') ? waiting.push(socket) : socket.write(NO_CONTENT)));
    const http = client();
    await post(http, server.url());
    const slow = [1, 2, 3].map(() => post(http, server.url(), { body: Buffer.from('slow') }));
    for (let sent = 0; sent < 5; sent++) expect(await post(http, server.url())).toEqual(answered(204));
    for (const socket of waiting) socket.write(NO_CONTENT);
    expect(await Promise.all(slow)).toEqual([answered(204), answered(204), answered(204)]);
  });

  it('that the receiver ends after its answer are not used again', async () => {
    const server = await serverThat((socket) => socket.end(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nbye`));
    const http = client();
    for (let sent = 0; sent < 3; sent++) expect(await post(http, server.url())).toEqual(answered(200));
    expect(server.connections.length).toBe(3);
  });

  it('that the receiver ended while they were idle are replaced', async () => {
    const server = await serverThat((socket) => socket.write(NO_CONTENT));
    const http = client();
    for (let sent = 0; sent < 3; sent++) {
      expect(await post(http, server.url())).toEqual(answered(204));
      const [last] = server.connections.slice(-1);
      last?.end();
      await ended(server.connections);
    }
    expect(server.connections.length).toBe(3);
  });

  it('that the receiver keeps for too short a time to rely on are not used again', async () => {
    const server = await serverThat((socket) => socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=1\r\ncontent-length: 0\r\n\r\n'));
    const http = client();
    for (let sent = 0; sent < 2; sent++) expect(await post(http, server.url())).toEqual(answered(200));
    expect(server.connections.length).toBe(2);
  });

  it('that are idle end before the receiver would end them', async () => {
    const server = await serverThat((socket) => socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=3\r\ncontent-length: 0\r\n\r\n'));
    expect(await post(client(), server.url())).toEqual(answered(200));
    await ended(server.connections);
  });

  it('end when all is closed, idle ones too', async () => {
    const server = await serverThat((socket) => socket.write(NO_CONTENT));
    const http = client();
    await post(http, server.url());
    await http.close();
    await post(client(), server.url());
    expect(server.connections.map(({ readableEnded }) => readableEnded)).toEqual([true, false]);
  });

  it('end when all is closed, and what is under way fails', async () => {
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
    expect(await slow).toEqual(failed('stopped before an answer'));
    expect(await looking).toEqual(failed('stopped before an answer'));
    expect(await post(http, server.url())).toEqual(failed('stopped before an answer'));
    await ended(server.connections);
    expect(server.requests.length).toBe(2);
  });
});

describe('a connection', () => {
  const PUBLIC = { address: '93.184.216.34', family: 4 };
  const LOOPBACK = { address: '127.0.0.1', family: 4 };
  /** Finds these, one list after the other. */
  const finding = (...answers: LookupAddress[][]): Resolve => {
    return async () => answers.shift() ?? [];
  };
  const notPublic = failed('url must lead to public addresses only, and a.example does not');
  let server: LocalServer;
  beforeEach(async () => {
    server = await LocalServer.startSecure((socket) => socket.write(NO_CONTENT));
    opened.push(server);
  });
  const outside = (resolve: Resolve) => client({ allowedPorts: [server.port], allowLoopback: false, resolve });
  const url = () => server.url('a.example', 'https');

  it('is made neither to a private address nor to localhost', async () => {
    const http = outside(finding());
    for (const host of ['127.0.0.1', '2130706433', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'a.localhost']) {
      expect(await post(http, server.url(host, 'https'))).toMatchObject({ error: expect.stringMatching(/^url must (?:not )?lead to/) });
    }
    expect(server.connections).toEqual([]);
  });

  it('is not made if the name leads elsewhere than when it was checked', async () => {
    const http = outside(finding([PUBLIC], [LOOPBACK]));
    expect(await http.problemWith(url())).toBeUndefined();
    expect(await post(http, url())).toEqual(notPublic);
    expect(server.connections).toEqual([]);
  });

  it.each([
    ['first', [LOOPBACK, PUBLIC]],
    ['last', [PUBLIC, LOOPBACK]],
    ['only in a mapped form', [{ address: '::ffff:127.0.0.1', family: 6 }]],
  ])('is not made if a private address is found %s', async (_where, found) => {
    expect(await post(outside(finding(found)), url())).toEqual(notPublic);
    expect(server.connections).toEqual([]);
  });

  it('is not made after the request was given up', async () => {
    const caller = new AbortController();
    const lookup = new Promise<readonly LookupAddress[]>((resolve) => caller.signal.addEventListener('abort', () => resolve([LOOPBACK])));
    const http = client({ resolve: () => lookup });
    const outcome = post(http, server.url('a.example', 'https'), { signal: caller.signal });
    caller.abort();
    expect(await outcome).toEqual(failed('given up before an answer'));
    await http.close();
    expect(server.requests).toEqual([]);
  });

  it('tries the next address if the first accepts none', async () => {
    const plain = await LocalServer.start((socket) => socket.write(NO_CONTENT), '127.0.0.1');
    opened.push(plain);
    const http = client({ resolve: finding([{ address: '::1', family: 6 }, LOOPBACK]) });
    expect(await post(http, plain.url('a.example'))).toEqual(answered(204));
  });
});
