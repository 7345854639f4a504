import { RawConnection } from '../../libs/http/testing/raw-connection.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { createSystem, type SystemUnderTest } from './system/system-under-test.fixture.js';

/** One that runs and 32 that wait; the connection is closed behind them. */
const MOST_ANSWERED = 33;
const AS_MANY_AS_ASKED = '100000000';

describe('a client that sends many requests without waiting', () => {
  let system: SystemUnderTest;
  let client: ApiClient;
  beforeEach(async () => {
    // So that the limits are not what holds it back.
    const limits = { PUBLIC_REQUESTS_PER_MINUTE: AS_MANY_AS_ASKED, PUBLIC_REQUESTS_PER_DAY: AS_MANY_AS_ASKED };
    system = await createSystem(createSqliteDatabase, { NODE_OPTIONS: '--max-old-space-size=512', ...limits });
    await system.launch().listening;
    client = new ApiClient(system.origin, system.key);
    expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).status).toBe(201);
  });
  const send = (connections: number, requests: number, text: string, reads: boolean): RawConnection[] =>
    Array.from({ length: connections }, () => {
      const connection = new RawConnection(Number(new URL(system.origin).port));
      if (!reads) connection.stopReading();
      connection.send(text.repeat(requests));
      return connection;
    });

  it.each([
    ['without a key', 1_100, () => ''],
    ['with a key', 400, () => `Authorization: Bearer ${system.key}\r\n`],
  ])('%s gets the answers of as many as may wait, and others theirs meanwhile', async (_, requests, authorization) => {
    const connections = send(20, requests, `GET /v1/pets HTTP/1.1\r\nHost: shop.example\r\n${authorization()}\r\n`, true);
    expect([200, 429, 503]).toContain((await client.get('/v1/pets')).status);
    await Promise.all(connections.map(({ closed }) => closed));
    const answered = connections.map(({ unread }) => unread.split('HTTP/1.1 ').length - 1);
    expect(answered).toEqual(Array(connections.length).fill(MOST_ANSWERED));
  });

  it('and reads none of the answers, is cut, and ends no service', async () => {
    const connections = send(150, 1_500, 'GET /openapi.json HTTP/1.1\r\nHost: shop.example\r\n\r\n', false);
    expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).status).toBe(201);
    for (const connection of connections) connection.destroy();
    expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).status).toBe(201);
  });
});
