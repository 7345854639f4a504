import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { RawConnection } from '../testing/raw-connection.js';
import { IDLE_TIMEOUT } from '../testing/sample-app.js';
import { expectError, HOST, JSON_TYPE, KEY, SampleClient } from '../testing/sample-client.js';

/** One that runs and 32 that wait. */
const MOST_ANSWERED = 33;

const client = SampleClient.use({ forEachTest: true });

const get = (id: string | number, headers = ''): string => `GET /v1/things/${id} HTTP/1.1\r\n${HOST}${KEY}${headers}\r\n`;
const gets = (count: number, id?: string): string => Array.from({ length: count }, (_, index) => get(id ?? index)).join('');
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How many requests have begun to run. */
const started = (): number => client.sample.hooks.filter((hook) => hook.startsWith('limit')).length;

/** A connection, and the server's side of it. */
async function openBoth(): Promise<{ connection: RawConnection; socket: Socket }> {
  const accepted = once(client.sample.app.getHttpServer(), 'connection') as Promise<[Socket]>;
  const connection = client.open();
  const [socket] = await accepted;
  return { connection, socket };
}

async function expectThings(connection: RawConnection, count: number, id?: string): Promise<void> {
  for (let index = 0; index < count; index++) {
    expect((await connection.answer()).body).toBe(`{"id":"${id ?? index}"}`);
  }
}

/** The next answers, the last of which says that it is the last. */
async function expectLastThings(connection: RawConnection, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const { body, headers } = await connection.answer();
    expect(body).toBe(`{"id":"${index}"}`);
    expect(headers['connection']).toBe(index === count - 1 ? 'close' : 'keep-alive');
  }
  await connection.ended();
  expect(connection.unread).toBe('');
}

describe('requests that are sent without waiting', () => {
  it('run one after another', async () => {
    const connection = client.open();
    connection.send(gets(10, 'slow'));
    for (let answered = 1; answered <= 10; answered++) {
      expect((await connection.answer()).status).toBe(200);
      expect(started()).toBeLessThanOrEqual(answered + 1);
    }
    expect(started()).toBe(10);
  });

  it('are answered, as many as may wait, and the connection lives on', async () => {
    const connection = client.open();
    for (let round = 0; round < 3; round++) {
      connection.send(gets(MOST_ANSWERED));
      await expectThings(connection, MOST_ANSWERED);
    }
  });

  it.each([MOST_ANSWERED + 1, 10_000])(
    'are %i: the connection closes after the answers of those that may wait, each logged once',
    async (count) => {
      const connection = client.open();
      connection.send(gets(count));
      await expectLastThings(connection, MOST_ANSWERED);
      expect(started()).toBe(MOST_ANSWERED);
      const lines = (): unknown[] => client.sample.lines.filter(({ route }) => route === '/v1/things/:id');
      while (lines().length < MOST_ANSWERED) await turn();
      expect(lines()).toHaveLength(MOST_ANSWERED);
    },
  );

  it('let those of others in between', async () => {
    const [flooding, other] = [client.open(), client.open()];
    for (const connection of [flooding, other]) {
      connection.send(get('first'));
      await connection.answer();
    }
    flooding.send(gets(MOST_ANSWERED));
    other.send(get('other', 'X-Request-Id: other\r\n'));
    await expectThings(flooding, MOST_ANSWERED);
    await client.lineOf('other');
    expect(client.sample.lines.findIndex(({ requestId }) => requestId === 'other')).toBeLessThan(MOST_ANSWERED / 2);
  });

  it('may have bodies, of known length and in chunks', async () => {
    const connection = client.open();
    const head = `POST /v1/things HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}`;
    const post = (index: number): string => {
      const body = `{"a":"${index}"}`;
      if (index % 2 === 0) return `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
      return `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    };
    connection.send(Array.from({ length: 30 }, (_, index) => post(index)).join(''));
    for (let index = 0; index < 30; index++) {
      expect(await connection.answer()).toMatchObject({ status: 201, body: `{"given":{"a":"${index}"},"isKept":false}` });
    }
  });

  it.each([20, MOST_ANSWERED])('are answered, %i of them, also when the client ends its side', async (count) => {
    const connection = client.open();
    connection.send(gets(count, 'slow'));
    connection.finish();
    await expectThings(connection, count, 'slow');
    await connection.ended();
    expect(connection.unread).toBe('');
  });

  it('get 100 Continue when it is their turn', async () => {
    const connection = client.open();
    const post = `POST /v1/things HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`;
    connection.send(`${gets(5, 'slow')}${post}`);
    await expectThings(connection, 5, 'slow');
    expect((await connection.answer()).status).toBe(100);
    connection.send(`{}${get('behind')}`);
    expect((await connection.answer()).status).toBe(201);
    expect((await connection.answer()).body).toBe('{"id":"behind"}');
  });

  it('may be mixed with HEAD, and end with HTTP/1.0', async () => {
    const connection = client.open();
    const pair = `HEAD /v1/things HTTP/1.1\r\n${HOST}${KEY}\r\n${get(7)}`;
    connection.send(`${pair.repeat(10)}GET /v1/things/last HTTP/1.0\r\n${KEY}\r\n${gets(50)}`);
    for (let index = 0; index < 10; index++) {
      expect(await connection.answer({ toHead: true })).toMatchObject({ status: 200, body: '' });
      expect((await connection.answer()).body).toBe('{"id":"7"}');
    }
    expect((await connection.answer()).body).toBe('{"id":"last"}');
    await connection.ended();
    expect(started()).toBe(21);
  });

  it('may ask for another protocol', async () => {
    const { connection, socket } = await openBoth();
    const upgrade = get('slow', 'Connection: upgrade\r\nUpgrade: h2c\r\n');
    // One by one, since Node loses what follows in the same piece.
    for (let sent = 1; sent <= MOST_ANSWERED + 1; sent++) {
      connection.send(upgrade);
      while (socket.bytesRead < sent * upgrade.length) await turn();
    }
    await expectThings(connection, MOST_ANSWERED, 'slow');
    await connection.ended();
  });

  it.each([
    ['what is no request', 'nonsense\r\n\r\n', 400],
    ['CONNECT', 'CONNECT shop:443 HTTP/1.1\r\n\r\n', 405],
  ])('have the refusal of %s behind their responses, except for those that are too many', async (_name, text, status) => {
    const connection = client.open();
    connection.send(`${gets(20)}${text}`);
    await expectThings(connection, 20);
    expect((await connection.answer()).status).toBe(status);
    await connection.ended();

    const many = client.open();
    many.send(`${gets(100)}${text}`);
    await expectLastThings(many, MOST_ANSWERED);
    expect(client.sample.unreadable.counted).toBe(1);
  });

  it('do not run when nobody waits for them any more', async () => {
    const { connection, socket } = await openBoth();
    connection.send(gets(20, 'slow'));
    await once(client.sample.app.getHttpServer(), 'request');
    const closed = new Promise((resolve) => socket.once('close', resolve));
    connection.reset();
    await closed;
    expect((await client.get('/v1/things/slow')).status).toBe(200);
    expect(started()).toBe(2);
  });

  it('do not run behind the last that is answered, when the service drains', async () => {
    const connection = client.open();
    connection.send(gets(30, 'slow'));
    await expectThings(connection, 10, 'slow');
    client.sample.connections.drain();
    let answered = 10;
    for (let isLast = false; !isLast; answered++) isLast = (await connection.answer()).headers['connection'] === 'close';
    await connection.ended();
    expect(connection.unread).toBe('');
    expect(answered).toBeLessThan(15);
    expect(started()).toBe(answered);
  });
});

describe('a request that waits for answers before it', () => {
  it('is not late for that', async () => {
    const connection = client.open();
    connection.send(gets(4, 'slower'));
    await expectThings(connection, 4, 'slower');
  });

  it('is late when its body does not arrive meanwhile, and refused in its place', async () => {
    const connection = client.open();
    connection.send(`${gets(2, 'slower')}POST /v1/things HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}Content-Length: 2\r\n\r\n`);
    await expectThings(connection, 2, 'slower');
    expectError(await connection.answer(), 'request_timeout', 408);
    await connection.ended();
  });
});

describe('a client that does not read its answers', () => {
  it.each([
    ['one large answer', get('large')],
    ['many answers', gets(MOST_ANSWERED, 'considerable')],
  ])('is read no further, and cut whatever it sends (%s)', async (_name, text) => {
    const { connection, socket } = await openBoth();
    connection.stopReading();
    connection.send(text);
    const sending = setInterval(() => connection.send(get(1)), 20);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(sending);
    expect(socket.timeout).toBe(IDLE_TIMEOUT);
    expect(started()).toBeLessThan(MOST_ANSWERED);
    expect(socket.bytesRead).toBeLessThanOrEqual(text.length + get(1).length * MOST_ANSWERED);
  });
});
