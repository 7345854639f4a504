import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { until } from '#libs/testing';
import { RawConnection, type Answer } from '../../libs/http/testing/raw-connection.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import type { BuiltService } from '../e2e/built-service.fixture.js';
import { toldLimits } from '../e2e/rate-limit.fixture.js';
import { createSystem, DATABASES, PATIENT, type SystemUnderTest } from './system/system-under-test.fixture.js';

const FLOOD = 3_000;
const MOST_IN_PROGRESS = 512;
const SHED = /requests are shed/;
const HEALTH = 'GET /health/live HTTP/1.1\r\nHost: shop\r\n\r\n';

describe.each(DATABASES)('under load, on %s,', (_name, createDatabase) => {
  let system: SystemUnderTest;
  let service: BuiltService;
  let client: ApiClient;
  let release = (): Promise<void> => Promise.resolve();
  beforeEach(async () => {
    system = await createSystem(createDatabase, { LOG_LEVEL: 'info', ...PATIENT });
    service = await system.launch().listening;
    client = new ApiClient(system.origin, system.key);
  });
  afterEach(() => release());

  /** Has the service take up the connections, in the order in which they were made, and then all of their requests in one turn. */
  const addOnEach = async (clients: readonly RawConnection[]): Promise<void> => {
    clients.at(-1)?.send(HEALTH);
    await clients.at(-1)?.answer();
    process.kill(service.pid, 'SIGSTOP');
    for (const connection of clients) connection.send(adding());
    process.kill(service.pid, 'SIGCONT');
  };
  const adding = (): string => {
    const body = '{"name":"Rex","categoryId":7}';
    const head = `POST /v1/pets HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${system.key}\r\n`;
    return `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  const used = async (): Promise<number> => {
    const { day } = toldLimits(await client.get('/v1/pets'));
    return day.limit - day.remaining;
  };

  it('refuses 2,488 of 3,000 adds before it has done any, counts only what it does, and goes on with all else', async () => {
    const usedBefore = await used();
    const clients = Array.from({ length: FLOOD }, () => new RawConnection(Number(new URL(service.origin).port)));
    release = await holdWrites(system.databaseUrl);
    const answers: Answer[] = [];
    await addOnEach(clients);
    const all = Promise.all(clients.map(async (connection) => answers.push(await connection.answer())));
    await until(
      () => answers.length >= FLOOD - MOST_IN_PROGRESS,
      () => `${answers.length} answers`,
    );
    for (const { status, headers, body } of answers) {
      expect({ status, ...headers }).toMatchObject({ status: 503, 'retry-after': '1', 'x-ratelimit-limit': expect.any(String) });
      expect(body).toContain('too much to do');
    }
    expect([(await client.get('/health/live', { key: null })).status, (await client.get('/v1/pets')).status]).toEqual([200, 200]);
    expect(answers).toHaveLength(FLOOD - MOST_IN_PROGRESS);
    await release();
    await all;
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(MOST_IN_PROGRESS);
    for (const connection of clients) connection.destroy();
    expect(service.output()).toMatch(SHED);
    expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).status).toBe(201);
    expect(await used()).toBe(usedBefore + MOST_IN_PROGRESS + 3);
  });
});

/** Has every append wait until what is returned is called, which may be more than once; reads go on. */
async function holdWrites(url: string): Promise<() => Promise<void>> {
  if (url.startsWith('sqlite:')) {
    const other = new SqliteConnection(url.slice('sqlite:'.length));
    other.exec('BEGIN IMMEDIATE');
    return () => Promise.resolve(void other.close());
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('BEGIN; LOCK TABLE "events" IN EXCLUSIVE MODE');
  return () => client.end();
}
