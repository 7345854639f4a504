import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { RawConnection } from '../testing/raw-connection.js';
import { IDLE_TIMEOUT, REQUEST_TIMEOUT, UNREAD_TIMEOUT } from '../testing/toy-app.js';
import { expectError, HOST, JSON_TYPE, KEY, ToyClient } from '../testing/toy-client.js';

const MOST_UNANSWERED = 32;

let client: ToyClient;

beforeEach(async () => {
  client = await ToyClient.start();
});

afterEach(async () => {
  client.destroyConnections();
  await client.stop();
});

const get = (id: string | number): string => `GET /v1/things/${id} HTTP/1.1\r\n${HOST}${KEY}\r\n`;
const gets = (count: number, id?: string): string => Array.from({ length: count }, (_, index) => get(id ?? index)).join('');

/** The requests that the server has handed over so far, and the most that were unanswered at once. */
function watchServer(): { readonly handled: string[]; most: number } {
  const watched = { handled: [] as string[], most: 0 };
  let unanswered = 0;
  client.toy.app.getHttpServer().on('request', (raw: IncomingMessage, response: ServerResponse) => {
    watched.handled.push(raw.url ?? '');
    watched.most = Math.max(watched.most, ++unanswered);
    response.once('close', () => unanswered--);
  });
  return watched;
}

async function expectThings(connection: RawConnection, count: number, id?: string): Promise<void> {
  for (let index = 0; index < count; index++) {
    expect((await connection.answer()).body).toBe(`{"id":"${id ?? index}"}`);
  }
}

describe('a client that sends many requests without waiting', () => {
  it('has few of them taken on at once, and gets all its answers in order', async () => {
    const watched = watchServer();
    const connection = client.open();
    connection.send(gets(1_000));
    await expectThings(connection, 1_000);
    expect(watched.most).toBeLessThanOrEqual(MOST_UNANSWERED);
  });

  it('has many of them run side by side', async () => {
    const watched = watchServer();
    const connection = client.open();
    connection.send(gets(200, 'slow'));
    await expectThings(connection, 200, 'slow');
    expect(watched.most).toBe(MOST_UNANSWERED);
  });

  it('lets the requests of others in between', async () => {
    const [flooding, other] = [client.open(), client.open()];
    for (const connection of [flooding, other]) {
      connection.send(get('first'));
      await connection.answer();
    }
    const watched = watchServer();
    flooding.send(gets(1_000));
    other.send(get('other'));
    expect((await other.answer()).body).toBe('{"id":"other"}');
    expect(watched.handled.indexOf('/v1/things/other')).toBeLessThan(100);
    await expectThings(flooding, 1_000);
  });

  it('may send bodies, of known length and in chunks', async () => {
    const connection = client.open();
    const head = `POST /v1/things HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}`;
    const post = (index: number): string => {
      const body = `{"a":"${index}"}`;
      if (index % 2 === 0) return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
      return `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    };
    connection.send(Array.from({ length: 300 }, (_, index) => post(index)).join(''));
    for (let index = 0; index < 300; index++) {
      expect(await connection.answer()).toMatchObject({ status: 201, body: `{"given":{"a":"${index}"},"isKept":false}` });
    }
  });

  it('may send them in pieces that end anywhere', async () => {
    const connection = client.open();
    const text = gets(400);
    for (let at = 0; at < text.length; at += 1_237) {
      connection.send(text.slice(at, at + 1_237));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await expectThings(connection, 400);
  });

  it('may end its side and still gets all its answers', async () => {
    const connection = client.open();
    connection.send(gets(100, 'slow'));
    connection.finish();
    await expectThings(connection, 100, 'slow');
    await connection.ended();
    expect(connection.unread).toBe('');
  });

  it('is told to continue once its request is taken on', async () => {
    const connection = client.open();
    connection.send(
      `${gets(50, 'slow')}POST /v1/things HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`,
    );
    await expectThings(connection, 50, 'slow');
    expect((await connection.answer()).status).toBe(100);
    connection.send('{}');
    expect((await connection.answer()).status).toBe(201);
  });

  it('may mix HEAD in, and end with HTTP/1.0', async () => {
    const connection = client.open();
    const pair = `HEAD /v1/things HTTP/1.1\r\n${HOST}${KEY}\r\n${get(7)}`;
    connection.send(`${pair.repeat(50)}GET /v1/things/last HTTP/1.0\r\n${KEY}\r\n${gets(50)}`);
    for (let index = 0; index < 50; index++) {
      expect(await connection.answer({ toHead: true })).toMatchObject({ status: 200, body: '' });
      expect((await connection.answer()).body).toBe('{"id":"7"}');
    }
    expect((await connection.answer()).body).toBe('{"id":"last"}');
    await connection.ended();
  });

  it('has few of them taken on at once that ask for another protocol', async () => {
    const watched = watchServer();
    const accepted = once(client.toy.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    const connection = client.open();
    const [socket] = await accepted;
    const isTakenOn = (count: number): boolean => watched.handled.length === count || socket.isPaused();
    // One by one, since Node loses what follows in the same piece.
    for (let sent = 1; sent <= 2 * MOST_UNANSWERED && !socket.isPaused(); sent++) {
      connection.send(`GET /v1/things/slower HTTP/1.1\r\n${HOST}${KEY}Connection: upgrade\r\nUpgrade: h2c\r\n\r\n`);
      while (!isTakenOn(sent)) await new Promise((resolve) => setImmediate(resolve));
    }
    await expectThings(connection, watched.handled.length, 'slower');
    // The last one is taken on before its connection can be held.
    expect(watched.most).toBeLessThanOrEqual(MOST_UNANSWERED + 1);
  });

  it.each([
    ['what is no request', 'nonsense\r\n\r\n', 400],
    ['CONNECT', 'CONNECT shop:443 HTTP/1.1\r\n\r\n', 405],
  ])('gets the refusal of %s after all its answers', async (_name, text, status) => {
    const connection = client.open();
    connection.send(`${gets(100)}${text}`);
    await expectThings(connection, 100);
    expect((await connection.answer()).status).toBe(status);
    await connection.ended();
  });

  it('has each of them in the log, and its hooks run once', async () => {
    const connection = client.open();
    connection.send(gets(200));
    await expectThings(connection, 200);
    const lines = (): unknown[] => client.toy.lines.filter(({ route }) => route === '/v1/things/:id');
    while (lines().length < 200) await new Promise((resolve) => setImmediate(resolve));
    expect(client.toy.hooks.filter((hook) => hook === 'limit GET')).toHaveLength(200);
  });

  it('has no request run that nobody waits for any more', async () => {
    const watched = watchServer();
    const accepted = once(client.toy.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    const connection = client.open();
    connection.send(gets(1_000, 'slow'));
    const [socket] = await accepted;
    await once(client.toy.app.getHttpServer(), 'request');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    connection.reset();
    await closed;
    const run = watched.handled.length;
    expect((await client.get('/v1/things/7')).status).toBe(200);
    expect(watched.handled.slice(run)).toEqual(['/v1/things/7']);
    expect(run).toBeLessThan(500);
  });

  it('has no request run after the last that is answered, when the service drains', async () => {
    const connection = client.open();
    connection.send(gets(200, 'slow'));
    await expectThings(connection, 10, 'slow');
    client.toy.connections.drain();
    let answered = 10;
    for (let isLast = false; !isLast; answered++) isLast = (await connection.answer()).headers['connection'] === 'close';
    await connection.ended();
    expect(connection.unread).toBe('');
    expect(client.toy.hooks.filter((hook) => hook === 'limit GET')).toHaveLength(answered);
  });
});

describe('a request that waits for answers before it', () => {
  it('is not late for that', async () => {
    const connection = client.open();
    connection.send(gets(MOST_UNANSWERED + 1, 'slower'));
    await expectThings(connection, MOST_UNANSWERED + 1, 'slower');
  });

  it('is late when its body does not arrive then', async () => {
    const connection = client.open();
    connection.send(gets(MOST_UNANSWERED, 'slower'));
    connection.send(`POST /v1/things HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}Content-Length: 2\r\n\r\n`);
    await expectThings(connection, MOST_UNANSWERED, 'slower');
    const startedAt = performance.now();
    expectError(await connection.answer(), 'request_timeout', 408);
    expect(performance.now() - startedAt).toBeGreaterThan(REQUEST_TIMEOUT / 2);
    await connection.ended();
  });
});

describe('a client that does not read its answers', () => {
  it.each(['considerable', 'large'])('is read no further, and cut whatever it sends (%s answers)', async (id) => {
    const watched = watchServer();
    const accepted = once(client.toy.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    const connection = client.open();
    connection.stopReading();
    connection.send(id === 'large' ? get(id) : gets(200, id));
    const [socket] = await accepted;
    const sending = setInterval(() => connection.send(get(id)), 50);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(sending);
    expect(watched.handled.length).toBeLessThanOrEqual(MOST_UNANSWERED);
    expect(socket.timeout).toBe(UNREAD_TIMEOUT);
  });

  it('has the usual time again once it has read', async () => {
    const accepted = once(client.toy.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    const connection = client.open();
    connection.send(gets(100));
    await expectThings(connection, 100);
    const [socket] = await accepted;
    expect(socket.timeout).toBeGreaterThanOrEqual(IDLE_TIMEOUT);
    expect(socket.timeout).not.toBe(UNREAD_TIMEOUT);
  });
});
