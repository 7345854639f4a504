import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { BuiltService } from '../e2e/built-service.fixture.js';
import { createSystem, DATABASES, type SystemUnderTest } from './system/system-under-test.fixture.js';
import { report } from './system/figures.js';

const run = promisify(execFile);
/** One that runs and 32 that wait; the connection is closed behind them. */
const MOST_ANSWERED = 33;
/** Of the service's processor, while another client waits for its answer: wall time would judge the machine. */
const LONGEST_WAIT_SECONDS = 1;
/** 150 connections of 1,190 requests each that Node parses at once (ADR 20), which take 3 to 5 s depending on the processor. */
const LONGEST_WAIT_IN_A_FLOOD_SECONDS = 10;
const MOST_RESIDENT_BYTES = 350_000_000;
const KIBIBYTE = 1_024;
const AS_MANY_AS_ASKED = '100000000';
const TICKS_A_SECOND = 100;

interface Flood {
  readonly connections: number;
  /** On each connection. */
  readonly requests: number;
  readonly text: string;
  readonly reads: boolean;
}

/** What others saw of a service while a flood went on. */
interface Observed {
  readonly answered: number;
  readonly longestWait: number;
  readonly mostResident: number;
  readonly asked: number;
}

describe.each(DATABASES)('a client that sends many requests without waiting, to a service on %s', (name, createDatabase) => {
  let system: SystemUnderTest;
  let service: BuiltService;

  beforeAll(async () => {
    system = await createSystem(createDatabase, {
      NODE_OPTIONS: '--max-old-space-size=512',
      // So that the limits are not what holds it back.
      PUBLIC_REQUESTS_PER_MINUTE: AS_MANY_AS_ASKED,
      PUBLIC_REQUESTS_PER_DAY: AS_MANY_AS_ASKED,
    });
    service = await system.launch().listening;
    for (let count = 0; count < 20; count++) expect(await add()).toBe(201);
  });
  afterAll(async () => {
    await service.stop('SIGKILL');
    await system.remove();
  });

  const headers = (): Record<string, string> => ({ authorization: `Bearer ${system.key}`, 'content-type': 'application/json' });
  const add = async (): Promise<number> => {
    const body = JSON.stringify({ name: 'Rex', categoryId: 7, status: 'available' });
    return (await fetch(`${system.origin}/v1/pets`, { method: 'POST', headers: headers(), body })).status;
  };
  const ask = async (): Promise<number> => {
    const before = await processorSeconds(service.pid);
    const answer = await fetch(`${system.origin}/v1/pets`, { headers: { ...headers(), connection: 'close' } });
    await answer.arrayBuffer();
    // It may ask more often than its plan allows.
    expect([200, 429, 503]).toContain(answer.status);
    return (await processorSeconds(service.pid)) - before;
  };
  const observe = async (form: Flood): Promise<Observed> => {
    const port = Number(new URL(system.origin).port);
    const flood = run(process.execPath, ['test/reliability/pipelining/flood.mjs', JSON.stringify({ port, ...form })]);
    let [longestWait, mostResident, asked] = [0, 0, 0];
    while (flood.child.exitCode === null) {
      longestWait = Math.max(longestWait, await ask());
      mostResident = Math.max(mostResident, await residentBytes(service.pid));
      asked += 1;
    }
    return { longestWait, mostResident, asked, ...(JSON.parse((await flood).stdout) as { answered: number }) };
  };

  it.each([
    ['without a key', 20, 1_100, () => ''],
    ['with a key', 20, 400, () => `Authorization: Bearer ${system.key}\r\n`],
  ])('%s gets the answers of as many as may wait, and others theirs meanwhile', async (what, connections, requests, authorization) => {
    const text = `GET /v1/pets HTTP/1.1\r\nHost: shop.example\r\n${authorization()}\r\n`;
    const { answered, longestWait, asked } = await observe({ connections, requests, text, reads: true });
    report(`pipelining ${what} on ${name}`, {
      answered,
      'asked by another': asked,
      'its longest wait in s of the processor': longestWait,
    });
    expect(answered).toBe(connections * MOST_ANSWERED);
    expect(longestWait).toBeLessThan(LONGEST_WAIT_SECONDS);
  });

  // No database is read for the document.
  if (name === 'SQLite') {
    it('and reads none of the answers, is cut, and takes little memory until then', async () => {
      const text = 'GET /openapi.json HTTP/1.1\r\nHost: shop.example\r\n\r\n';
      const { mostResident, longestWait } = await observe({ connections: 150, requests: 1_500, text, reads: false });
      report(`pipelining unread on ${name}`, {
        'most resident in MB': Math.round(mostResident / 1_000_000),
        'longest wait of another in s of the processor': longestWait,
      });
      expect(mostResident).toBeLessThan(MOST_RESIDENT_BYTES);
      expect(longestWait).toBeLessThan(LONGEST_WAIT_IN_A_FLOOD_SECONDS);
      expect(await add()).toBe(201);
    });
  }
});

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * KIBIBYTE;
}

async function processorSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [user, system] = stat.slice(stat.lastIndexOf(')')).split(' ').slice(12, 14);
  return (Number(user) + Number(system)) / TICKS_A_SECOND;
}
