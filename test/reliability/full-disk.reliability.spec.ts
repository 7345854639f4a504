import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { createSqliteDatabase, type TestDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { runBuilt } from '../e2e/built-service.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { RecordingClients } from './history/history-client.fixture.js';
import { notRun } from './system/not-run.js';
import { random } from './system/run-form.js';
import { createSystem, expectNoViolations } from './system/system-under-test.fixture.js';

const CLIENTS = 8;

/** A way to run out of room, and to get some again, while the service runs. */
interface Shortage {
  createDatabase(): Promise<TestDatabase>;
  /** Variables of the service. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Takes the room away from a service that runs. */
  begin(pid: number, databaseFile: string): void;
  end(pid: number): void;
}

/** The bound of SQLite itself, which answers SQLITE_FULL as it does for a full disk. */
function boundedPages(): Shortage {
  const environment = { NODE_OPTIONS: `--import ${resolve('test/reliability/system/bounded-pages.mjs')}` };
  return { createDatabase: createSqliteDatabase, environment, begin: () => undefined, end: (pid) => process.kill(pid, 'SIGUSR2') };
}

/** No file of the process may grow, which Linux answers with EFBIG and SQLite with SQLITE_IOERR. */
function boundedFiles(): Shortage {
  const limit = (pid: number, bytes: string) => execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
  return {
    createDatabase: createSqliteDatabase,
    begin: (pid, file) => limit(pid, String(statSync(`${file}-wal`).size + 200_000)),
    end: (pid) => limit(pid, 'unlimited'),
  };
}

/** A file system in memory that is too small. */
async function smallFileSystem(): Promise<Shortage> {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-small-'));
  closeAtEnd(() => rm(folder, { recursive: true }));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]);
  const remove = closeAtEnd(() => execFileSync('umount', [folder]));
  return {
    createDatabase: async () => ({ url: `sqlite:${join(folder, 'adoption.sqlite')}`, remove }),
    begin: () => undefined,
    end: () => execFileSync('mount', ['-o', 'remount,size=64m', folder]),
  };
}

describe('a service whose database finds no more room', () => {
  const survive = async (name: string, shortage: Shortage, isForAll = false) => {
    const system = await createSystem(shortage.createDatabase);
    const launched = system.launch(shortage.environment);
    const reader = new ApiClient(system.origin, system.key);
    const { pid, management } = await launched.listening;
    const databasePart = async () =>
      ((await (await fetch(`${management}/health/ready`)).json()) as { readonly parts: Record<string, { state: string }> }).parts[
        'database'
      ];
    expect(await databasePart()).toEqual({ state: 'ready' });
    const clients = new RecordingClients(CLIENTS, { origin: system.origin, key: system.key, random });
    await clients.acknowledgeMore(5);
    shortage.begin(pid, system.databaseUrl.slice('sqlite:'.length));
    await until(() => clients.unavailable >= 50);
    expect(clients.lastUnavailable?.json()).toMatchObject({ code: 'service_unavailable', status: 503 });
    for (const target of ['/v1/pets', '/v1/pets?status=sold&limit=5', '/v1/pets/1']) expect((await reader.get(target)).status).toBe(200);

    // What takes less room than an animal may still be written.
    await until(async () => (await databasePart())?.state === 'degraded');
    if (isForAll) {
      const doctor = await runBuilt('cli', ['doctor'], { cwd: system.folder, environment: { DATABASE_URL: system.databaseUrl } });
      expect([doctor.code, doctor.stdout]).toEqual([
        1,
        expect.stringContaining('The database cannot be written: there is no room to write'),
      ]);
    }

    shortage.end(pid);
    await clients.acknowledgeMore(20);
    const history = await clients.stop();
    await until(async () => (await databasePart())?.state === 'ready');
    expect(launched.output()).toContain('"msg":"request failed"');
    expectNoViolations(`full-disk by ${name}`, checkHistory(history, await finalStateOf(system)), system, history);
  };

  it('answers 503 to writes, reads on, leaves nothing half done and writes again without a restart, at the bound of SQLite', async () => {
    await survive('max_page_count', boundedPages());
  });

  it('does the same where no file may grow', async () => {
    if (process.platform !== 'linux') {
      notRun('a bound on the size of files', 'prlimit is a program of Linux');
      return;
    }
    await survive('RLIMIT_FSIZE', boundedFiles());
  });

  it('does the same on a small file system', async () => {
    if (process.getuid?.() !== 0) {
      notRun('a small file system', 'only root may mount one');
      return;
    }
    await survive('tmpfs', await smallFileSystem(), true);
  });
});
