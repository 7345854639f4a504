import { getDataSourceToken } from '@nestjs/typeorm';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { Database, raw, WRITE_CONNECTION } from '#libs/database';
import { until } from '#libs/testing';
import { openPostgresProxy, type PassingMessage, type PostgresProxy } from '../databases/postgres-proxy.fixture.js';
import { createPostgresDatabase, type TestDatabase } from '../databases/test-database.fixture.js';
import { ApiClient, type Answer } from './api-client.fixture.js';
import { startService, UNLIMITED, type Service } from './service.fixture.js';

const PETS = '/v1/pets';
const REX = { name: 'Rex', categoryId: 7 };
const WRITE_LOCK = 4_201_337;
const TIMEOUT_MILLISECONDS = 10_000;
// The default of DATABASE_POOL_SIZE.
const MOST_READERS = 8;
const SOME_READERS = 4;
const MOST_WRITERS = 4;
const SLEEP = 'SELECT pg_sleep(0.5)';
const SLOW_READ = raw(SLEEP);

describe('a service of which one connection to PostgreSQL fails', () => {
  let database: TestDatabase;
  let proxy: PostgresProxy;
  let service: Service;
  let key: string;
  const start = async (timeout = TIMEOUT_MILLISECONDS): Promise<void> => {
    // How many connections are open is for the tests alone to say.
    const polls = false;
    service = await startService({ polls, environment: { DATABASE_URL: proxy.url, DATABASE_TIMEOUT_MILLISECONDS: String(timeout) } });
    ({ token: key } = await service.issueKey(UNLIMITED));
  };
  beforeEach(async () => {
    database = await createPostgresDatabase();
    proxy = await openPostgresProxy(database.url);
  });
  afterEach(async () => {
    await proxy.restore();
    await service.close();
    await proxy.close();
    await database.remove();
  });

  const read = (limit = 20): Promise<Answer> => service.client.get(`${PETS}?limit=${limit}`, { key });
  const add = (headers = {}): Promise<Answer> => service.client.post(PETS, REX, { key, headers });
  const names = async (): Promise<string[]> => (await read(100)).json<{ name: string }[]>().map(({ name }) => name);
  const untilWell = () => until(async () => (await add()).status === 201 && (await read()).status === 200);

  it('answers what its open connections can, while no other can be opened', async () => {
    await start();
    const { reader } = service.app.get(Database);
    // Background work takes connections at any time: all that writes may have are open, and some of those that reads may have.
    const writer = service.app.get<DataSource>(getDataSourceToken(WRITE_CONNECTION));
    await Promise.all([
      ...Array.from({ length: MOST_WRITERS }, () => writer.query(SLEEP)),
      ...Array.from({ length: SOME_READERS }, () => reader.query(SLOW_READ)),
    ]);
    const added = await Promise.all(Array.from({ length: 4 * MOST_WRITERS }, () => add()));
    expect(new Set(added.map(({ status }) => status))).toEqual(new Set([201]));
    proxy.refuseConnections();
    const needed = Array.from({ length: MOST_READERS }, () => reader.query(SLOW_READ));
    const outcomes = (await Promise.allSettled(needed)).map(({ status }) => status);
    // What a start reads may have opened more than these, but never all that there may be.
    expect(outcomes.filter((status) => status === 'fulfilled').length).toBeGreaterThanOrEqual(SOME_READERS);
    expect(outcomes).toContain('rejected');
    for (let round = 1; round <= 20; round += 1) {
      expect([(await add()).status, (await read(round)).status]).toEqual([201, 200]);
    }
  });

  it('answers 503 while PostgreSQL refuses connections for whatever reason, and serves when it takes them again', async () => {
    await start();
    for (const sqlstate of ['53300', '53400', '55000', '57P03', '3D000', '28000', '28P01', '42501', '0A000']) {
      await untilWell();
      proxy.refuseConnections(sqlstate);
      proxy.cut();
      for (let round = 0; round < 3; round += 1) {
        for (const { status, text } of await Promise.all([read(), read(3), add(), add({ 'idempotency-key': 'once' })])) {
          expect([sqlstate, status, text]).toEqual([sqlstate, 503, expect.stringContaining('"service_unavailable"')]);
        }
      }
      await proxy.restore();
    }
    await untilWell();
  });

  it('answers every add while another session keeps the write lock, however many wait for it', async () => {
    await start();
    // Each opens no more than 64 connections at once.
    const clients = Array.from({ length: 8 }, () => new ApiClient(service.origin, key));
    const addMany = async () => {
      const answers = await Promise.all(clients.flatMap((client) => Array.from({ length: 63 }, () => client.post(PETS, REX))));
      return new Set(answers.map(({ status }) => status));
    };
    expect(await addMany()).toEqual(new Set([201]));
    const holder = new pg.Client({ connectionString: database.url });
    await holder.connect();
    await holder.query(`SELECT pg_advisory_lock(${WRITE_LOCK})`);
    const held = await addMany();
    await holder.end();
    clients.forEach((client) => client.close());
    expect(held).toEqual(new Set([503]));
    await untilWell();
  });

  it('lets everybody in who has a key, though the connection that looks a key up stalls', async () => {
    await start(6_000);
    const { reader } = service.app.get(Database);
    await Promise.all([1, 2, 3].map(() => reader.query(SLOW_READ)));
    const tokens = await Promise.all(Array.from({ length: 10 }, () => service.issueKey(UNLIMITED)));
    const fault = proxy.fail(looksKeysUp, 'stall');
    const answers = await Promise.all(
      tokens.map(async ({ token }, index) => {
        // The first is asked for alone, the others while it stalls.
        if (index > 0) await fault.struck;
        return service.client.get(PETS, { key: token });
      }),
    );
    expect(fault.hasStruck).toBe(true);
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
  });

  it.each(['cut', 'stall'] as const)(
    'does not say that nothing was changed when COMMIT is done and its answer is lost (%s)',
    async (how) => {
      await start();
      await add();
      let isAdding = false;
      const fault = proxy.fail(({ from, text }) => {
        // Others commit too, such as what removes old rows after a start.
        isAdding ||= from === 'client' && text.startsWith('INSERT INTO "events"');
        return isAdding && from === 'server' && text === 'COMMIT';
      }, how);
      const answer = await add({ 'idempotency-key': 'once' });
      expect(fault.hasStruck).toBe(true);
      expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('"service_unavailable"')]);
      expect(answer.text).toMatch(/not known|unknown|may have/);
      fault.lift();
      await untilWell();
      const repeated = await add({ 'idempotency-key': 'once' });
      expect([repeated.status, repeated.headers['idempotency-replayed']]).toEqual([201, 'true']);
      expect(await names()).toHaveLength(3);
    },
  );
});

function looksKeysUp({ from, type, text }: PassingMessage): boolean {
  return from === 'client' && type === 'B' && /^SELECT\b.*api_key_secrets/s.test(text);
}
