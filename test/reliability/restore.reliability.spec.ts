import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findPostgresPrograms } from '../databases/own-postgres.fixture.js';
import { createPostgresDatabase, createSqliteDatabase, type TestDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { runBuilt } from '../e2e/built-service.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf, storedStateOf } from './history/final-state.fixture.js';
import { RecordingClients } from './history/recording-clients.fixture.js';
import { attemptsSeenBy, idIn } from './history/history.js';
import { createSystem, expectNoViolations, type SystemUnderTest } from './system/system-under-test.fixture.js';

const execute = promisify(execFile);
const CLIENTS = 8;
const BEFORE_THE_BACKUP = 200;
const AFTER_THE_BACKUP = 50;

/** Backs the database of a system up, as an operator would, and restores it beside. */
type Restore = (system: SystemUnderTest) => Promise<Pick<TestDatabase, 'url'>>;

const restoreFile: Restore = async (system) => {
  const file = join(system.folder, 'backup.sqlite');
  // In a process of its own: the clients of this one go on meanwhile.
  const { code } = await runBuilt('cli', ['db', 'backup', file], { cwd: system.folder, environment: { DATABASE_URL: system.databaseUrl } });
  expect(code).toBe(0);
  return { url: `sqlite:${file}` };
};

const restoreDump: Restore = async (system) => {
  const programs = findPostgresPrograms();
  const dump = join(system.folder, 'backup.dump');
  await execute(join(programs, 'pg_dump'), ['--format=custom', `--file=${dump}`, system.databaseUrl]);
  const restored = await createPostgresDatabase();
  await execute(join(programs, 'pg_restore'), ['--exit-on-error', `--dbname=${restored.url}`, dump]);
  return restored;
};

describe.each([
  ['db backup', createSqliteDatabase, restoreFile],
  ['pg_dump', createPostgresDatabase, restoreDump],
])('a copy made by %s under load', (name, createDatabase, restore) => {
  let system: SystemUnderTest;
  beforeEach(async () => (system = await createSystem(createDatabase)));

  it('holds all that was acknowledged before, passes events verify, goes on with the next id, and gives out no position of the original', async () => {
    const original = await system.launch().listening;
    const clients = new RecordingClients(CLIENTS, system);
    await clients.acknowledgeMore(BEFORE_THE_BACKUP);
    const begunAt = performance.now();
    const restored = await restore(system);
    const endedAt = performance.now();
    await clients.acknowledgeMore(AFTER_THE_BACKUP);
    const { adds } = await clients.stop();
    await original.stop('SIGTERM');

    const launchCopy = () => system.launchBeside({ DATABASE_URL: restored.url }).listening;
    const copy = await launchCopy();
    const copied = { ...system, origin: copy.origin, databaseUrl: restored.url };
    const client = new ApiClient(copied.origin, copied.key);
    const state = await finalStateOf(copied);
    const sent = { adds: attemptsSeenBy(adds, begunAt, endedAt) };
    expectNoViolations(`restore of ${name}`, checkHistory(sent, state), copied, adds);

    const lastId = idIn(state.pets.rows.at(-1) ?? '');
    const added = await client.post('/v1/pets', '{"name":"after the restore","categoryId":1}');
    expect(added.json()['id']).toBe(Number(lastId) + 1);
    const after = await finalStateOf(copied);
    // Another history of the log begins: the original has given out the next positions.
    expect(after.events.at(-1)?.position).toBeGreaterThan((state.events.at(-1)?.position ?? 0n) + 1_000_000_000n);
    expect(after.problems).toEqual([]);
    // A restart goes on with it.
    await copy.stop('SIGTERM');
    const again = await launchCopy();
    await new ApiClient(again.origin, copied.key).post('/v1/pets', '{"name":"after the restart","categoryId":1}');
    expect((await storedStateOf(restored.url)).events.at(-1)?.position).toBe((after.events.at(-1)?.position ?? 0n) + 1n);
  });
});
