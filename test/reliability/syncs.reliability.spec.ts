import { until } from '#libs/testing';
import { startOwnPostgres } from '../databases/own-postgres.fixture.js';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { queryDatabase } from './history/final-state.fixture.js';
import { notRun } from './system/not-run.js';
import { traceSyncs, type SyncTrace } from './system/sync-trace.fixture.js';
import { createSystem, PATIENT } from './system/system-under-test.fixture.js';

const ADDED = 30;

/** The processes of PostgreSQL that write down what a service commits. */
async function findWriters(databaseUrl: string): Promise<readonly number[]> {
  // The first process starts one for each new connection. The background writer brings the log to disk before a page that it writes. The
  // checkpointer is none, as it syncs for itself.
  const rows = await queryDatabase<{ pid: number }>(
    databaseUrl,
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer AS "pid"
     UNION SELECT pid FROM pg_stat_activity WHERE backend_type IN ('walwriter', 'background writer', 'client backend') AND pid <> pg_backend_pid()`,
  );
  return rows.map(({ pid }) => pid);
}

/** Looks at the service and these writers; once more where one was started before the look at its parent began. */
async function traceAll(service: number, writers: () => Promise<readonly number[]>): Promise<SyncTrace | undefined> {
  for (;;) {
    const pids = [service, ...(await writers())];
    const trace = await traceSyncs(pids);
    const isWhole = (await writers()).every((pid) => pids.includes(pid));
    if (!trace || isWhole) return trace;
    await trace.end();
  }
}

describe.each([
  ['SQLite', createSqliteDatabase, async () => []],
  // A server of the test's own, so that no sync is that of another test.
  ['PostgreSQL', startOwnPostgres, findWriters],
] as const)('on %s, an acknowledgement', (_name, createDatabase, writers) => {
  it('comes after a sync of its own', async () => {
    const system = await createSystem(() => createDatabase(), PATIENT);
    const service = await system.launch().listening;
    const client = new ApiClient(system.origin, system.key);
    const add = async () => expect((await client.post('/v1/pets', { name: 'Rex', categoryId: 1 })).status).toBe(201);
    // The first use of a key is written down on its own, a second later.
    await add();
    const trace = await traceAll(service.pid, () => writers(system.databaseUrl));
    if (!trace) {
      notRun('the count of syncs', 'strace is missing or may not trace processes here');
      return;
    }
    for (let number = 0; number < ADDED; number += 1) await add();
    await until(() => trace.steps().filter((step) => step === 'acknowledged').length >= ADDED);
    await trace.end();
    expect(trace.groups()).toEqual([0, ...Array<number>(ADDED).fill(1)]);
  });
});
