import { RawConnection } from '../../libs/http/testing/raw-connection.js';
import { UNLIMITED } from './service.fixture.js';
import { ORDERS, startStore, type Store } from './store.fixture.js';

const ROUNDS = 10;

describe('requests that are sent on one connection without waiting', () => {
  let store: Store;
  let key: string;
  let connection: RawConnection;

  beforeAll(async () => {
    store = await startStore();
    key = (await store.issueKey({ ...UNLIMITED, scopes: ['pets', 'pets:write', 'orders', 'events'] })).token;
  });
  beforeEach(() => (connection = new RawConnection(Number(new URL(store.origin).port))));
  afterEach(() => connection.destroy());
  afterAll(() => store.close());

  function request(method: string, path: string, body?: object): string {
    const text = body && JSON.stringify(body);
    const content = text === undefined ? '\r\n' : `Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`;
    return `${method} ${path} HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${key}\r\n${content}`;
  }

  /** The next answers, each as its status and body. */
  async function answers(count: number): Promise<(readonly [number, Record<string, unknown>])[]> {
    const taken: (readonly [number, Record<string, unknown>])[] = [];
    while (taken.length < count) {
      const { status, body } = await connection.answer();
      taken.push([status, JSON.parse(body || '{}') as Record<string, unknown>]);
    }
    return taken;
  }

  it('see what those before them have done', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const petId = await store.addAvailable();
      const order = request('POST', ORDERS, { petId });
      connection.send(order + request('GET', `/v1/pets/${petId}`));
      expect(await answers(2)).toMatchObject([
        [201, {}],
        [200, { status: 'pending' }],
      ]);
    }
  });

  it('are refused for what those before them have taken away', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const petId = await store.addAvailable();
      const order = request('POST', ORDERS, { petId });
      connection.send(`${order}${request('DELETE', `/v1/pets/${petId}?reason=gone`)}${order}`);
      expect(await answers(3)).toMatchObject([
        [201, {}],
        [204, {}],
        [404, { code: 'not_found' }],
      ]);
    }
  });

  it('do not lose against each other', async () => {
    const petId = await store.addAvailable();
    const names = Array.from({ length: 10 }, (_, index) => `Rex ${index}`);
    connection.send(names.map((name) => request('PATCH', `/v1/pets/${petId}`, { name })).join(''));
    expect(await answers(10)).toMatchObject(names.map((name) => [200, { name }]));
  });

  it('wait for a stream before them, which ends with the client’s side', async () => {
    const stream = `GET /v1/events HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${key}\r\nAccept: text/event-stream\r\n\r\n`;
    connection.send(stream + request('GET', '/v1/pets?limit=1'));
    expect((await connection.answer()).headers['content-type']).toMatch(/^text\/event-stream/);
    expect((await store.client.get('/v1/pets?limit=1')).status).toBe(200);
    expect(connection.unread).not.toMatch(/HTTP/);
    connection.finish();
    await connection.ended();
    expect(connection.unread).toMatch(/\r\n0\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  });
});
