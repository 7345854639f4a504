import { setTimeout as delay } from 'node:timers/promises';
import { until } from '#libs/testing';
import { composition } from '../../src/bootstrap/composition.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { queryDatabase } from './history/final-state.fixture.js';
import { RecordingClients } from './history/history-client.fixture.js';
import { CutReader } from './system/cut-readers.fixture.js';
import { report } from './system/figures.js';
import { plantedBug } from './system/planted-bug.fixture.js';
import { IS_LONG, random, randomBetween } from './system/run-form.js';
import { createSystem, DATABASES, PATIENT, type SystemUnderTest } from './system/system-under-test.fixture.js';

const CUTS = IS_LONG ? 10_000 : 500;
const READERS = 20;
const CUTS_OF_A_BUG = 200;
const WRITERS = 4;
const CUTS_BETWEEN_KILLS = 200;

interface Cut {
  readonly cuts: number;
  readonly kills: number;
  /** What the log has for them. */
  readonly expected: readonly string[];
  readonly readers: readonly Pick<CutReader, 'ids' | 'hasGivenUp'>[];
}

/** Cuts the connections of readers, and kills the service, while others write. */
async function cut(system: SystemUnderTest, wanted: number, environment: Readonly<Record<string, string>> = {}): Promise<Cut> {
  let service = await system.launch(environment).listening;
  const writers = new RecordingClients(WRITERS, { origin: system.origin, key: system.key, random });
  let cuts = 0;
  let kills = 0;
  const readers = Array.from({ length: READERS }, () => new CutReader(system.origin, system.key, () => (cuts += 1)));
  while (cuts < wanted) {
    const enough = Math.min(cuts + randomBetween(1, 2 * CUTS_BETWEEN_KILLS), wanted);
    while (cuts < enough) await delay(5);
    await service.stop('SIGKILL');
    kills += 1;
    service = await system.launch(environment).listening;
  }
  await writers.stop();
  for (const reader of readers) reader.stopCutting();
  const expected = await publishedPositions(system);
  const last = BigInt(expected.at(-1) ?? 0);
  // What comes afterwards shows where they are, also to one that has missed the last of these.
  const client = new ApiClient(system.origin, system.key);
  await until(async () => {
    await client.post('/v1/pets', { name: 'afterwards', categoryId: 7 });
    return readers.every(({ ids, hasGivenUp }) => hasGivenUp || BigInt(ids.at(-1) ?? 0) > last);
  });
  const gaveUp = readers.map(({ hasGivenUp }) => hasGivenUp);
  for (const reader of readers) reader.close();
  await service.stop('SIGKILL');
  const seen = readers.map(({ ids }, index) => ({ hasGivenUp: gaveUp[index] ?? true, ids: ids.filter((id) => BigInt(id) <= last) }));
  return { cuts, kills, expected, readers: seen };
}

async function publishedPositions({ databaseUrl }: SystemUnderTest): Promise<string[]> {
  const types = [...composition().publishedForms.keys()].map((type) => `'${type}'`).join(', ');
  const rows = await queryDatabase<{ position: bigint | string }>(
    databaseUrl,
    `SELECT "position" FROM "events" WHERE "type" IN (${types}) ORDER BY "position"`,
  );
  return rows.map(({ position }) => position.toString());
}

describe.each(DATABASES)('streams of events on %s that are cut while others write and the service is killed', (name, createDatabase) => {
  let system: SystemUnderTest;
  beforeEach(async () => (system = await createSystem(createDatabase, { ...PATIENT, FEED_STREAMS_PER_KEY: '1000' })));

  it('give each client every event once and in order', async () => {
    const { cuts, kills, expected, readers } = await cut(system, CUTS);
    report(`feed on ${name}`, { cuts, kills, readers: readers.length, events: expected.length });
    for (const { ids, hasGivenUp } of readers) {
      expect(hasGivenUp).toBe(false);
      expect(ids).toEqual(expected);
    }
  });

  // Streams know nothing of the database.
  if (name !== 'SQLite') return;

  it('are seen to give events twice if a service does', async () => {
    const { readers } = await cut(system, CUTS_OF_A_BUG, plantedBug('gives-events-twice'));
    expect(readers.some(({ ids }) => new Set(ids).size < ids.length)).toBe(true);
  });

  it('are seen to miss events if a service forgets them', async () => {
    const { expected, readers } = await cut(system, CUTS_OF_A_BUG, plantedBug('forgets-events'));
    expect(readers.some(({ ids }) => new Set(ids).size < expected.length)).toBe(true);
  });
});
