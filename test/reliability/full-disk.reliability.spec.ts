import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { createSqliteDatabase, type TestDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { runBuilt } from '../e2e/built-service.fixture.js';
import { checkHistory } from './history/check-history.js';
import { finalStateOf } from './history/final-state.fixture.js';
import { RecordingClients } from './history/recording-clients.fixture.js';
import { notRun } from './system/not-run.js';
import { createSystem, expectNoViolations, readinessOf } from './system/system-under-test.fixture.js';

const CLIENTS = 8;

/** A way to run out of room, and to get some again, while the service runs. */
interface Shortage {
  createDatabase(): Promise<Pick<TestDatabase, 'url'>>;
  /** Takes the room away from a service that runs. */
  begin(pid: number, databaseFile: string): void;
  end(pid: number): void;
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

/** A file system in memory that is too small, which SQLite answers with SQLITE_FULL. */
function smallFileSystem(): Shortage {
  const folder = makeTemporaryFolder('small');
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', folder]);
  closeAtEnd(() => execFileSync('umount', [folder]));
  return {
    createDatabase: async () => ({ url: `sqlite:${join(folder, 'adoption.sqlite')}` }),
    begin: () => undefined,
    end: () => execFileSync('mount', ['-o', 'remount,size=64m', folder]),
  };
}

describe('a service whose database finds no more room', () => {
  it.each<[string, () => Shortage, boolean]>([
    ['where no file may grow', boundedFiles, false],
    ['on a small file system', smallFileSystem, true],
  ])(
    'answers 503 to writes, reads on, leaves nothing half done and writes again without a restart, %s',
    async (name, cause, mountsFiles) => {
      if (process.platform !== 'linux' || (mountsFiles && process.getuid?.() !== 0)) {
        notRun(`a service ${name}`, 'only Linux has prlimit, and only root may mount a file system');
        return;
      }
      const shortage = cause();
      const system = await createSystem(shortage.createDatabase);
      const reader = new ApiClient(system.origin, system.key);
      const service = await system.launch().listening;
      const databasePart = async () => (await readinessOf(service)).parts['database'];
      expect(await databasePart()).toEqual({ state: 'ready' });
      const clients = new RecordingClients(CLIENTS, system);
      await clients.acknowledgeMore(5);
      shortage.begin(service.pid, system.databaseUrl.slice('sqlite:'.length));
      await until(() => clients.unavailable >= 50);
      expect(clients.lastUnavailable?.json()).toMatchObject({ code: 'service_unavailable', status: 503 });
      for (const target of ['/v1/pets', '/v1/pets?status=sold&limit=5', '/v1/pets/1']) expect((await reader.get(target)).status).toBe(200);

      // What takes less room than an animal may still be written.
      await until(async () => (await databasePart())?.state === 'degraded');
      if (mountsFiles) {
        const doctor = await runBuilt('cli', ['doctor'], { cwd: system.folder, environment: { DATABASE_URL: system.databaseUrl } });
        expect(doctor).toMatchObject({
          code: 1,
          stdout: expect.stringContaining('The database cannot be written: there is no room to write'),
        });
      }

      shortage.end(service.pid);
      await clients.acknowledgeMore(20);
      const history = await clients.stop();
      await until(async () => (await databasePart())?.state === 'ready');
      expect(service.output()).toContain('"msg":"request failed"');
      expectNoViolations(`full disk ${name}`, checkHistory(history, await finalStateOf(system)), system, history);
    },
  );
});
