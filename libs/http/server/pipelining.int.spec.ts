import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { RawConnection } from '../testing/raw-connection.js';
import { IDLE_TIMEOUT } from '../testing/sample-app.js';
import { expectError, HOST, JSON_TYPE, KEY, SampleClient } from '../testing/sample-client.js';

/** One that runs and 32 that wait. */
const MOST_ANSWERED = 33;

const get = (id: string | number, headers = ''): string => `GET /v1/things/${id} HTTP/1.1\r\n${HOST}${KEY}${headers}\r\n`;
const gets = (count: number, id?: string): string => Array.from({ length: count }, (_, index) => get(id ?? index)).join('');
const post = (headers: string): string => `POST /v1/things HTTP/1.1\r\n${HOST}${KEY}${JSON_TYPE}${headers}\r\n`;

async function expectThings(connection: RawConnection, count: number, id?: string): Promise<void> {
  for (let index = 0; index < count; index++) {
    expect((await connection.answer()).body).toBe(`{"id":"${id ?? index}"}`);
  }
}

async function expectEnd(connection: RawConnection): Promise<void> {
  await connection.ended();
  expect(connection.unread).toBe('');
}

describe('requests that are sent without waiting', () => {
  const client = SampleClient.use({ forEachTest: true });

  /** How many requests have begun to run. */
  const started = (): number => client.sample.hooks.filter((hook) => hook.startsWith('limit')).length;
  /** A connection, and the server's side of it. */
  const openBoth = async (): Promise<{ connection: RawConnection; socket: Socket }> => {
    const accepted = once(client.sample.app.getHttpServer(), 'connection') as Promise<[Socket]>;
    const connection = client.open();
    return { connection, socket: (await accepted)[0] };
  };

  it('run one after another', async () => {
    const connection = client.open();
    connection.send(gets(10, 'slow'));
    for (let answered = 1; answered <= 10; answered++) {
      expect((await connection.answer()).status).toBe(200);
      expect(started()).toBeLessThanOrEqual(answered + 1);
    }
    expect(started()).toBe(10);
  });

  it('are too many: the connection is cut', async () => {
    const connection = client.open();
    connection.send(gets(MOST_ANSWERED + 1, 'slow'));
    await connection.closed;
    expect(connection.unread).toBe('');
    expect(started()).toBeLessThanOrEqual(1);
  });

  it('are answered, as many as may wait, also when the client ends its side', async () => {
    const connection = client.open();
    connection.send(gets(MOST_ANSWERED, 'slow'));
    connection.finish();
    await expectThings(connection, MOST_ANSWERED, 'slow');
    await expectEnd(connection);
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
    client.sample.connections.isDraining = true;
    let answered = 10;
    for (let isLast = false; !isLast; answered++) isLast = (await connection.answer()).headers['connection'] === 'close';
    await expectEnd(connection);
    expect(answered).toBeLessThan(15);
    expect(started()).toBe(answered);
  });

  it('are late only for a body that does not arrive, refused in its place, not for the answers before', async () => {
    const connection = client.open();
    connection.send(gets(4, 'slower') + post('Content-Length: 2\r\n'));
    await expectThings(connection, 4, 'slower');
    expectError(await connection.answer(), 'request_timeout', 408);
    await connection.ended();
  });

  it.each([
    ['one large answer', get('large')],
    ['many answers', gets(MOST_ANSWERED, 'considerable')],
  ])('by a client that does not read %s are read no further, and it is cut whatever it sends', async (_name, text) => {
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
