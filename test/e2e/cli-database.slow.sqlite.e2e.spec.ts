import { readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execute } from '../databases/test-database.fixture.js';
import { startBuiltService } from './built-service.fixture.js';
import { openCommandLine } from './command-line.fixture.js';

describe('a backup of a database in a file', () => {
  it('is restored while no service uses the database, which is kept, with a new history of the log', async () => {
    const commandLine = await openCommandLine();
    const { folder, run, runWith } = commandLine;
    const restore = async (file: string) => {
      const { code, stdout, stderr } = await run('db', 'restore', file);
      return code === 0 ? (JSON.parse(stdout) as { file: string; kept: string; bytes: number }) : stderr;
    };
    const countEvents = async (file: string) => {
      const { stdout } = await runWith({ DATABASE_URL: `sqlite:${file}` }, 'events', 'verify');
      return JSON.parse(stdout) as object;
    };
    try {
      const service = await startBuiltService(folder);
      const [database, backup] = [join(folder, 'data', 'adoption.sqlite'), join(folder, 'backup.sqlite')];
      await commandLine.addAnimals(3);
      await run('db', 'backup', backup);
      await commandLine.addAnimals(4);
      expect(await restore(backup)).toContain(`another service uses ${database}`);
      await service.stop('SIGKILL');

      await execute(`sqlite:${join(folder, 'foreign.sqlite')}`, 'CREATE TABLE "things" ("id" INTEGER)');
      for (const [file, reason] of [
        [await commandLine.file('text.sqlite', 'This is a text. '.repeat(500)), 'is not a database of SQLite'],
        [join(folder, 'foreign.sqlite'), 'is not a database of this service'],
        [database, 'is the database itself'],
        [join(folder, 'none.sqlite'), 'There is no file'],
      ] as const) {
        expect(await restore(file)).toContain(reason);
      }
      expect(await readdir(folder, { recursive: true })).not.toContainEqual(expect.stringMatching(/part|before/));

      const restored = await restore(backup);
      const kept = expect.stringMatching(/\/data\/adoption\.sqlite\.before-[-\dTZ.]+$/) as string;
      expect(restored).toEqual({ file: database, kept, bytes: (await stat(database)).size });
      expect(await readdir(join(folder, 'data'))).not.toContain('adoption.sqlite-wal');
      // With what was acknowledged before the process was killed.
      expect(typeof restored === 'object' && (await countEvents(restored.kept))).toMatchObject({ events: 5, problems: [] });
      expect(await countEvents(database)).toMatchObject({ events: 4, problems: [] });
      await commandLine.addAnimals(4);
      expect((await run('events', 'list', '--after', '1000000000')).stdout).toContain('"stream":"pet-4"');

      await rename(database, join(folder, 'lost.sqlite'));
      await writeFile(`${database}-wal`, 'what was acknowledged last');
      const withoutFile = await restore(backup);
      expect(typeof withoutFile === 'object' && (await readFile(`${withoutFile.kept}-wal`, 'utf8'))).toBe('what was acknowledged last');
    } finally {
      await commandLine.remove();
    }
  });

  it('holds one moment of it while the service writes, never goes over a file, and is only where it can be', async () => {
    const commandLine = await openCommandLine();
    const service = await startBuiltService(commandLine.folder);
    const file = join(commandLine.folder, 'copy.sqlite');
    try {
      await commandLine.addAnimals(500);
      const [backup] = await Promise.all([commandLine.run('db', 'backup', file), commandLine.addAnimals(5_000)]);
      expect(backup).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(backup.stdout)).toEqual({ file, bytes: (await stat(file)).size });
      const onCopy = { DATABASE_URL: `sqlite:${file}` };
      const verified = await commandLine.runWith(onCopy, 'events', 'verify');
      const { events, problems } = JSON.parse(verified.stdout) as { events: number; problems: [] };
      expect(events).toBeGreaterThanOrEqual(500);
      expect(problems).toEqual([]);
      expect((await commandLine.runWith(onCopy, 'doctor', '--full')).code).toBe(0);

      const before = await stat(file);
      const again = await commandLine.run('db', 'backup', file);
      expect(again).toEqual({ code: 1, stdout: '', stderr: `${file} exists already; a backup never replaces a file.\n` });
      expect(before.mode & 0o777).toBe(0o600);
      expect(await stat(file)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
      const missing = await commandLine.run('db', 'backup', join(commandLine.folder, 'none/copy.sqlite'));
      expect(missing).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/none\/copy\.sqlite: there is no folder .*none\.\n$/) });
      expect((await readdir(commandLine.folder)).filter((name) => name.includes('part'))).toEqual([]);
    } finally {
      await service.stop('SIGKILL');
      await commandLine.remove();
    }
  });
});
