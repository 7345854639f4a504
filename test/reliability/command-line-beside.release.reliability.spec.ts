import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { runBuilt } from '../e2e/built-service.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { RecordingClients } from './history/recording-clients.fixture.js';
import { IS_LONG } from './system/run-form.js';
import { createSystem, expectNoViolations } from './system/system-under-test.fixture.js';

const IMPORTED = IS_LONG ? 200_000 : 20_000;

describe('an import beside a loaded service on SQLite', () => {
  it('adds what it is given while clients lose nothing', async () => {
    const system = await createSystem(createSqliteDatabase);
    await system.launch().listening;
    const names = Array.from({ length: IMPORTED }, (_, index) => `imported ${index}`);
    const input = names.map((name) => `{"name":"${name}","categoryId":1}\n`).join('');
    const clients = new RecordingClients(8, system);
    const environment = { DATABASE_URL: system.databaseUrl };
    const { code, stderr } = await runBuilt('cli', ['pets', 'import', '-'], { cwd: system.folder, environment, input });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const history = await clients.stop();
    const state = await finalStateOf(system);
    expectNoViolations('command-line-beside', checkHistory(history, state, new Set(names)), system, history);
    expect(state.pets.rows.length).toBeGreaterThanOrEqual(IMPORTED + 1);
  });
});
