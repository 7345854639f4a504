import SqliteConnection from 'better-sqlite3';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { runBuilt } from '../e2e/built-service.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { RecordingClients } from './history/history-client.fixture.js';
import { IS_LONG, random } from './system/run-form.js';
import { createSystem, expectNoViolations, type SystemUnderTest } from './system/system-under-test.fixture.js';

const IMPORTED = IS_LONG ? 200_000 : 20_000;
const READS_UNDER_LOCK = 50;

describe('the command line beside a loaded service on SQLite', () => {
  let system: SystemUnderTest;
  let client: ApiClient;
  beforeEach(async () => {
    system = await createSystem(createSqliteDatabase);
    await system.launch().listening;
    client = new ApiClient(system.origin, system.key);
  });

  it('adds what it is given while clients lose nothing', async () => {
    const names = Array.from({ length: IMPORTED }, (_, index) => `imported ${index}`);
    const input = names.map((name) => `{"name":"${name}","categoryId":1}\n`).join('');
    const clients = new RecordingClients(8, { origin: system.origin, key: system.key, random });
    const { code, stderr } = await runBuilt('cli', ['pets', 'import', '-'], {
      cwd: system.folder,
      environment: { DATABASE_URL: system.databaseUrl },
      input,
    });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const history = await clients.stop();
    const state = await finalStateOf(system);
    expectNoViolations('command-line-beside', checkHistory(history, state, new Set(names)), system, history);
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
