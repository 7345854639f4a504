import { readFile } from 'node:fs/promises';
import SqliteConnection from 'better-sqlite3';
import { serverAudits } from 'graphql-http';
import pg from 'pg';
import { until } from '#libs/testing';
import { RawConnection, type Answer } from '../../libs/http/testing/raw-connection.js';
import type { BuiltService } from '../e2e/built-service.fixture.js';
import { startBurningNeighbours, type BurningNeighbours } from './system/burning-neighbours.fixture.js';
import { report } from './system/figures.js';
import { createSystem, DATABASES, PATIENT, type SystemUnderTest } from './system/system-under-test.fixture.js';

const BURST = 200;
const FLOOD = 3_000;
/** Connections that are new; more than may be in progress. */
const STRANGERS = 1_000;
const MOST_IN_PROGRESS = 512;
const MOST_MEGABYTES = 450;
const NEW_PROCESSES = [1, 2, 3];
const SHED = /requests are shed/;
const HEALTH = 'GET /health/live HTTP/1.1\r\nHost: shop\r\n\r\n';

const head = (start: string, key: string): string => `${start} HTTP/1.1\r\nHost: shop\r\nAuthorization: Bearer ${key}\r\n`;
const listWith = (key: string): string => `${head('GET /v1/pets', key)}\r\n`;
function addWith(key: string): string {
  const body = '{"name":"Rex","categoryId":7}';
  return `${head('POST /v1/pets', key)}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Opens connections. When the promise resolves the service has taken them up, without a request on any but the last. */
async function connectTo({ origin }: BuiltService, count: number): Promise<RawConnection[]> {
  const connections = Array.from({ length: count }, () => new RawConnection(Number(new URL(origin).port)));
  // Connections are taken up in the order in which they were made.
  connections.at(-1)?.send(HEALTH);
  await connections.at(-1)?.answer();
  return connections;
}

/** Sends a request on each connection so that all are there when the service goes on, and taken up in one turn of its event loop. */
function sendTogether({ pid }: BuiltService, connections: readonly RawConnection[], request: string): void {
  process.kill(pid, 'SIGSTOP');
  for (const connection of connections) connection.send(request);
  process.kill(pid, 'SIGCONT');
}

const statusesOf = (answers: readonly Answer[]): Set<number> => new Set(answers.map(({ status }) => status));
const withStatus = (answers: readonly Answer[], wanted: number): Answer[] => answers.filter(({ status }) => status === wanted);
const isShed = ({ body }: Answer): boolean => body.includes('too much to do');

describe.each(DATABASES)('under load, on %s,', (name, createDatabase) => {
  let system: SystemUnderTest;
  let service: BuiltService;
  const connections: RawConnection[] = [];
  let release = (): Promise<void> => Promise.resolve();
  beforeAll(async () => {
    system = await createSystem(createDatabase, { LOG_LEVEL: 'info', ...PATIENT });
  });
  beforeEach(async () => {
    service = await system.launch().listening;
  });
  afterEach(async () => {
    await release();
    for (const connection of connections.splice(0)) connection.destroy();
    await service.stop('SIGKILL');
  });
  afterAll(() => system.remove());

  const open = async (count: number): Promise<RawConnection[]> => {
    const opened = await connectTo(service, count);
    connections.push(...opened);
    return opened;
  };

  describe('beside a busy neighbour on every core', () => {
    let neighbours: BurningNeighbours;
    beforeAll(async () => {
      neighbours = await startBurningNeighbours();
    });
    afterAll(() => neighbours.stop());

    it.each(NEW_PROCESSES)('a new process serves 200 adds at once (%i)', async () => {
      const clients = await open(BURST);
      sendTogether(service, clients, addWith(system.key));
      expect(statusesOf(await Promise.all(clients.map((client) => client.answer())))).toEqual(new Set([201]));
      expect(service.output()).not.toMatch(SHED);
    });

    it('a new process passes all audits of GraphQL over HTTP at once', async () => {
      const audits = serverAudits({
        url: `${service.origin}/graphql`,
        fetchFn: (input: string | URL, { headers, ...init }: RequestInit = {}) =>
          fetch(input, { ...init, headers: { ...(headers as Record<string, string>), authorization: `Bearer ${system.key}` } }),
      });
      expect(audits).toHaveLength(61);
      const outcomes = await Promise.all(audits.map(async ({ fn }) => (await fn()).status));
      expect(new Set(outcomes)).toEqual(new Set(['ok']));
      expect(service.output()).not.toMatch(SHED);
    });
  });

  it('refuses 2,488 of 3,000 adds before it has done any, and goes on with all else', async () => {
    const [bystander] = await open(1);
    const clients = await open(FLOOD);
    release = await holdWrites(system.databaseUrl);
    const answers: Answer[] = [];
    sendTogether(service, clients, addWith(system.key));
    const all = Promise.all(clients.map(async (client) => answers.push(await client.answer())));
    await until(() => answers.length >= FLOOD - MOST_IN_PROGRESS);
    expect(answers.every(isShed)).toBe(true);
    bystander?.send(HEALTH + listWith(system.key));
    expect([(await bystander?.answer())?.status, (await bystander?.answer())?.status]).toEqual([200, 200]);
    expect(answers).toHaveLength(FLOOD - MOST_IN_PROGRESS);
    await release();
    await all;
    expect(withStatus(answers, 201)).toHaveLength(MOST_IN_PROGRESS);
    expect(service.output()).toMatch(SHED);
    bystander?.send(addWith(system.key));
    expect((await bystander?.answer())?.status).toBe(201);
  });

  it('lets 1,000 in that come at once before it does what any of them asks', async () => {
    process.kill(service.pid, 'SIGSTOP');
    const clients = Array.from({ length: STRANGERS }, () => new RawConnection(Number(new URL(service.origin).port)));
    connections.push(...clients);
    for (const client of clients) client.send(addWith(system.key));
    await Promise.all(clients.map(({ opened }) => opened));
    process.kill(service.pid, 'SIGCONT');
    const answers = await Promise.all(clients.map((client) => client.answer()));
    expect([withStatus(answers, 201).length, answers.filter(isShed).length]).toEqual([MOST_IN_PROGRESS, STRANGERS - MOST_IN_PROGRESS]);
  });

  it('answers each of 3,000 lists, refuses some of them, and stays within its memory', async () => {
    const [bystander] = await open(1);
    const clients = await open(FLOOD);
    bystander?.send(listWith(system.key));
    expect((await bystander?.answer())?.status).toBe(200);
    sendTogether(service, clients, listWith(system.key));
    const answers = await Promise.all(clients.map((client) => client.answer()));
    const [served, shed] = [withStatus(answers, 200), answers.filter(isShed)];
    const megabytes = await highestMegabytes(service);
    report(`3,000 lists at once on ${name}`, { served: served.length, 'answered with 503': shed.length, 'highest MB': megabytes });
    expect(served.length + shed.length).toBe(FLOOD);
    expect(served.length).toBeGreaterThanOrEqual(MOST_IN_PROGRESS);
    expect(shed.length).toBeGreaterThan(0);
    for (const { headers } of shed) expect(headers).toMatchObject({ 'retry-after': '1', 'x-ratelimit-limit': expect.any(String) });
    expect(megabytes).toBeLessThan(MOST_MEGABYTES);
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

/** The most memory that the process has had resident. */
async function highestMegabytes({ pid }: BuiltService): Promise<number> {
  const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round((Number(kilobytes) * 1_024) / 1e6);
}
