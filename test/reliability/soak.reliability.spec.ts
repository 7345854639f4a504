import { statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import type { BuiltService } from '../e2e/built-service.fixture.js';
import { queryDatabase, verifyEvents } from './history/final-state.fixture.js';
import { report } from './system/figures.js';
import { readMetrics } from './system/metrics.fixture.js';
import { IS_LONG, random } from './system/run-form.js';
import { createSystem, DATABASES, PATIENT, type SystemUnderTest } from './system/system-under-test.fixture.js';

const MILLISECONDS = IS_LONG ? 20 * 60_000 : 10_000;
const SAMPLES = 60;
const CLIENTS = 8;
const ADDS = 0.1;
const MEGABYTE = 2 ** 20;
// SQLite writes its log back into the file at about four megabytes.
const WRITE_AHEAD_LOG_AT_MOST = 16 * MEGABYTE;

interface Sample {
  readonly heap: number;
  readonly handles: number;
  readonly bytes: number;
  readonly events: number;
}

describe.each(DATABASES)('a service on %s that is used for long', (name, createDatabase) => {
  let system: SystemUnderTest;
  let service: BuiltService;
  beforeEach(async () => {
    system = await createSystem(createDatabase, PATIENT);
    service = await system.launch().listening;
  });

  it(
    'keeps its heap, its handles and what an animal takes on disk where they were',
    async () => {
      const load = startLoad(system);
      const samples: Sample[] = [];
      for (let sample = 0; sample < SAMPLES; sample += 1) {
        await delay(MILLISECONDS / SAMPLES);
        samples.push(await takeSample(service, system.databaseUrl));
      }
      const { requests, refused } = await load.stop();
      // The first third is for what is compiled, cached and opened once.
      const early = samples.slice(SAMPLES / 3, (SAMPLES * 2) / 3);
      const late = samples.slice((SAMPLES * 2) / 3);
      const [heapBefore, heapAfter] = [least(early, 'heap'), least(late, 'heap')];
      const [handlesBefore, handlesAfter] = [least(early, 'handles'), least(late, 'handles')];
      report(`soak on ${name}`, {
        seconds: MILLISECONDS / 1_000,
        requests,
        refused,
        events: samples.at(-1)?.events ?? 0,
        'heap MB before and after': `${(heapBefore / MEGABYTE).toFixed(1)} ${(heapAfter / MEGABYTE).toFixed(1)}`,
        'handles before and after': `${handlesBefore} ${handlesAfter}`,
        'bytes of an event before and after': `${bytesOfAnEvent(early)} ${bytesOfAnEvent(late)}`,
      });
      // What is refused keeps nothing busy, so that nothing could grow.
      expect(refused).toBeLessThan(requests / 100);
      // The least of many samples, since what is not collected yet is no leak.
      expect(heapAfter).toBeLessThan(heapBefore * 1.1 + 10 * MEGABYTE);
      expect(handlesAfter).toBeLessThanOrEqual(handlesBefore + 2);
      expect(bytesOfAnEvent(late)).toBeLessThan(bytesOfAnEvent(early) * 1.2);
      if (name === 'SQLite') expect(statSync(`${fileOf(system.databaseUrl)}-wal`).size).toBeLessThan(WRITE_AHEAD_LOG_AT_MOST);
      expect(await verifyEvents(system.databaseUrl, system.folder)).toEqual([]);
    },
    MILLISECONDS + 120_000,
  );
});

/** Clients that mostly read. `stop` gives how many requests they have made, and how many were not answered with 200 or 201. */
function startLoad({ origin, key }: SystemUnderTest): { stop(): Promise<{ readonly requests: number; readonly refused: number }> } {
  const client = new ApiClient(origin, key);
  let stopping = false;
  let requests = 0;
  let refused = 0;
  const run = async () => {
    for (let last = 0; !stopping; requests += 1) {
      if (random() < ADDS) {
        const { status, json } = await client.post('/v1/pets', `{"name":"animal","categoryId":${requests}}`);
        if (status === 201) last = Number(json()['id']);
        else refused += 1;
      } else {
        const { status } = await client.get(last > 0 && random() < 0.5 ? `/v1/pets/${last}` : '/v1/pets?status=sold&limit=100');
        if (status !== 200) refused += 1;
      }
    }
  };
  closeAtEnd(() => (stopping = true));
  const running = Promise.all(Array.from({ length: CLIENTS }, run));
  // Awaited in stop; until then a failure must not end the process.
  running.catch(() => undefined);
  return {
    async stop() {
      stopping = true;
      await running;
      return { requests, refused };
    },
  };
}

async function takeSample({ management }: BuiltService, databaseUrl: string): Promise<Sample> {
  const metrics = await readMetrics(management);
  return {
    heap: metrics.get('adoption_nodejs_heap_size_used_bytes') ?? NaN,
    handles: metrics.get('adoption_nodejs_active_handles_total') ?? NaN,
    events: metrics.get('adoption_log_position') ?? NaN,
    bytes: await sizeOf(databaseUrl),
  };
}

async function sizeOf(databaseUrl: string): Promise<number> {
  if (databaseUrl.startsWith('sqlite:')) return statSync(fileOf(databaseUrl)).size;
  const [row] = await queryDatabase<{ bytes: string }>(databaseUrl, 'SELECT pg_database_size(current_database()) AS "bytes"');
  return Number(row?.bytes);
}

function fileOf(databaseUrl: string): string {
  return databaseUrl.slice('sqlite:'.length);
}

function least(samples: readonly Sample[], figure: keyof Sample): number {
  return Math.min(...samples.map((sample) => sample[figure]));
}

function bytesOfAnEvent(samples: readonly Sample[]): number {
  const last = samples.at(-1);
  return last ? Math.round(last.bytes / last.events) : NaN;
}
