import { readFile, writeFile } from 'node:fs/promises';
import { request as sendRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { STREAM } from '../e2e/event-stream.fixture.js';
import { report } from './system/figures.js';
import { createSystem, PATIENT, type SystemUnderTest } from './system/system-under-test.fixture.js';
import { processorSeconds } from './system/processor-time.fixture.js';

const EVENTS = 60_000;
const READING = 10;
const NOT_READING = 120;
const STREAMS = { FEED_STREAMS_PER_KEY: '200' };
/** Of all processor time that the service takes. Where streams do not take turns it is two thirds; seconds would judge the machine. */
const LARGEST_SHARE = 0.25;
const MOST_MEGABYTES = 300;

/** Opens a stream of the whole log. */
function openStream({ origin, key }: SystemUnderTest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    sendRequest(`${origin}/v1/events?after=earliest`, { agent: false, headers: { accept: STREAM, authorization: `Bearer ${key}` } })
      .on('response', (response) => resolve(response.on('error', () => undefined)))
      .on('error', reject)
      .end();
  });
}

/** Reads a stream, and counts its events by their ids. None is kept. */
function countEvents(response: IncomingMessage): () => number {
  let count = 0;
  let end = '';
  response.setEncoding('latin1').on('data', (text: string) => {
    const all = end + text;
    count += all.split('\nid: ').length - 1;
    end = all.slice(-4);
  });
  return () => count;
}

async function megabytesOf(pid: number): Promise<number> {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
}

describe('a long log on SQLite', () => {
  let system: SystemUnderTest;
  beforeAll(async () => {
    system = await createSystem(createSqliteDatabase, { ...PATIENT, ...STREAMS });
    const file = join(system.folder, 'pets.jsonl');
    await writeFile(file, `${JSON.stringify({ name: 'Rex', categoryId: 7 })}\n`.repeat(EVENTS));
    await system.command('pets', 'import', file);
  });
  afterAll(() => system.remove());

  it('is read by many streams at once without making others wait, and without much memory', async () => {
    const service = await system.launch().listening;
    const { pid } = service;
    const client = new ApiClient(system.origin, system.key);
    const others = [
      () => client.get('/v1/pets'),
      () => client.get('/health/live'),
      () => client.post('/v1/pets', { name: 'Ina', categoryId: 7 }),
    ];
    for (const other of others) await other();
    const streams = await Promise.all(Array.from({ length: READING + NOT_READING }, () => openStream(system)));
    const counts = streams.slice(0, READING).map(countEvents);
    let [longest, megabytes, asked] = [0, 0, 0];
    while (counts.some((count) => count() < EVENTS)) {
      for (const other of others) {
        const before = await processorSeconds(pid);
        expect((await other()).status).toBeLessThan(300);
        longest = Math.max(longest, (await processorSeconds(pid)) - before);
        asked += 1;
      }
      megabytes = Math.max(megabytes, await megabytesOf(pid));
      await delay(10);
    }
    const total = await processorSeconds(pid);
    report('streams of a long log', { asked, 'longest wait in processor seconds': longest, MB: Math.round(megabytes), total });
    for (const stream of streams) stream.destroy();
    client.close();
    await service.stop('SIGKILL');
    expect(longest / total).toBeLessThan(LARGEST_SHARE);
    expect(megabytes).toBeLessThan(MOST_MEGABYTES);
  });
});
