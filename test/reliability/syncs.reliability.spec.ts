import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { startOwnPostgres } from '../databases/own-postgres.fixture.js';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { queryDatabase } from './history/final-state.fixture.js';
import { notRun } from './system/not-run.js';
import { groupsOf, traceSyncs } from './system/sync-trace.fixture.js';
import { createSystem, PATIENT } from './system/system-under-test.fixture.js';

const ALONE = 30;
const TOGETHER = 64;

/** How a database is looked at and held up. */
interface Traced {
  createDatabase: Parameters<typeof createSystem>[0];
  /** The processes beside the service that write down what it commits. */
  writers(databaseUrl: string): Promise<readonly number[]>;
  /** Lets nobody write until the function that it gives is called; everybody can read. */
  holdUpWrites(databaseUrl: string): Promise<() => Promise<void>>;
}

const sqlite: Traced = {
  createDatabase: createSqliteDatabase,
  writers: async () => [],
  async holdUpWrites(databaseUrl) {
    const other = new SqliteConnection(databaseUrl.slice('sqlite:'.length));
    other.exec('BEGIN IMMEDIATE');
    return closeAtEnd(() => other.exec('COMMIT').close());
  },
};

/** A server of the test's own, so that no sync is that of another test. */
const postgres: Traced = {
  createDatabase: startOwnPostgres,
  async writers(databaseUrl) {
    // The first process starts one for each new connection. The background writer brings the log to disk before a page that it writes. The
    // checkpointer is none, as it syncs for itself.
    const rows = await queryDatabase<{ pid: number }>(
      databaseUrl,
      `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::integer AS "pid"
       UNION SELECT pid FROM pg_stat_activity WHERE backend_type IN ('walwriter', 'background writer', 'client backend') AND pid <> pg_backend_pid()`,
    );
    return rows.map(({ pid }) => pid);
  },
  async holdUpWrites(databaseUrl) {
    const other = new pg.Client({ connectionString: databaseUrl });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE "events" IN EXCLUSIVE MODE');
    return closeAtEnd(() => other.end());
  },
};

describe.each([
  ['SQLite', sqlite],
  ['PostgreSQL', postgres],
])('on %s, an acknowledgement', (_name, { createDatabase, writers, holdUpWrites }) => {
  it('comes after a sync of its own, or of the group that it was committed with', async () => {
    const system = await createSystem(createDatabase, PATIENT);
    const service = await system.launch().listening;
    const client = new ApiClient(system.origin, system.key);
    const reader = new ApiClient(system.origin, system.key);
    const add = async (animal: string) => {
      const { status } = await client.post('/v1/pets', JSON.stringify({ name: animal, categoryId: 1 }));
      expect(status).toBe(201);
    };
    // The first use of a key is written down on its own, a second later.
    await add('first');
    const trace = await traceSyncs([service.pid, ...(await writers(system.databaseUrl))]);
    if (!trace) {
      notRun('the count of syncs', 'strace is missing or may not trace processes here');
      return;
    }
    for (let number = 0; number < ALONE; number += 1) await add(`alone ${number}`);
    await until(() => trace.steps().filter((step) => step === 'acknowledged').length >= ALONE);
    const alone = groupsOf(trace.steps());

    const release = await holdUpWrites(system.databaseUrl);
    const begun = Promise.all(Array.from({ length: TOGETHER }, (_, number) => add(`together ${number}`)));
    // Answered one after another, by when what was sent before them has arrived.
    for (let read = 0; read < TOGETHER; read += 1) await reader.get('/v1/pets');
    await release();
    await begun;
    await until(() => trace.steps().filter((step) => step === 'acknowledged').length >= ALONE + TOGETHER);
    await trace.end();
    const together = groupsOf(trace.steps()).groups.slice(alone.groups.length);
    expect(alone).toEqual({ unsynced: 0, groups: Array.from({ length: ALONE }, () => 1) });
    expect(together.length).toBeGreaterThan(0);
    expect(together.length).toBeLessThan(TOGETHER);
  });
});
