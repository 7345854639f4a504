import SqliteConnection from 'better-sqlite3';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { runBuilt, type BuiltService } from '../e2e/built-service.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { RecordingClients } from './history/history-client.fixture.js';
import { report } from './system/figures.js';
import { readMetrics } from './system/metrics.fixture.js';
import { IS_LONG, random } from './system/run-form.js';
import { createSystem, type SystemUnderTest } from './system/system-under-test.fixture.js';

const IMPORTED = IS_LONG ? 200_000 : 20_000;
const READS_UNDER_LOCK = 50;

describe('the command line beside a loaded service on SQLite', () => {
  let system: SystemUnderTest;
  let service: BuiltService;
  let client: ApiClient;
  beforeEach(async () => {
    system = await createSystem(createSqliteDatabase);
    service = await system.launch().listening;
    client = new ApiClient(system.origin, system.key);
  });

  it('adds what it is given while clients lose nothing', async () => {
    const names = Array.from({ length: IMPORTED }, (_, index) => `imported ${index}`);
    const input = names.map((name) => `{"name":"${name}","categoryId":1}\n`).join('');
    const clients = new RecordingClients(8, { origin: system.origin, key: system.key, random });
    let importing = true;
    const waits = measureWaits(client, () => importing);
    const { code, stderr } = await runBuilt('cli', ['pets', 'import', '-'], {
      cwd: system.folder,
      environment: { DATABASE_URL: system.databaseUrl },
      input,
    });
    importing = false;
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const history = await clients.stop();
    const sorted = (await waits).sort((one, other) => one - other);
    const metrics = await readMetrics(service.management);
    report('import beside a loaded service', {
      imported: IMPORTED,
      'acknowledged meanwhile': clients.acknowledged,
      'answered with 503': clients.unavailable,
      'median ms of a read': Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0),
      'longest ms of a read': Math.round(sorted.at(-1) ?? 0),
      'longest ms of a turn of the event loop': Math.round(1_000 * (metrics.get('adoption_nodejs_eventloop_lag_max_seconds') ?? NaN)),
    });
    const state = await finalStateOf(system);
    expect(checkHistory(history, state, new Set(names))).toEqual([]);
    expect(state.rows.length).toBeGreaterThanOrEqual(IMPORTED + 1);
  });

  it('makes writes wait and nothing else while it holds the write lock', async () => {
    const other = new SqliteConnection(system.databaseUrl.slice('sqlite:'.length));
    closeAtEnd(() => other.close());
    other.exec('BEGIN IMMEDIATE');
    let added = false;
    const adding = client.post('/v1/pets', '{"name":"waits","categoryId":1}').finally(() => (added = true));
    for (let read = 0; read < READS_UNDER_LOCK; read += 1) expect((await client.get('/v1/pets')).status).toBe(200);
    // Had the event loop waited for the lock, the reads could not have been answered before it was given up on.
    expect(added).toBe(false);
    other.exec('COMMIT');
    await until(() => added);
    expect((await adding).status).toBe(201);
  });
});

/** Milliseconds that reads take, one after another, for as long as the condition holds. */
async function measureWaits(client: ApiClient, goOn: () => boolean): Promise<number[]> {
  const waits: number[] = [];
  while (goOn()) {
    const begun = performance.now();
    await client.get('/v1/pets?limit=1');
    waits.push(performance.now() - begun);
  }
  return waits;
}
