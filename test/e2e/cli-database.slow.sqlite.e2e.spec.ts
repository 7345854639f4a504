import { spawn } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { finished, startBuiltService, type Finished } from './built-service.fixture.js';
import { openCommandLine, type CommandLine } from './command-line.fixture.js';

describe('a backup of a database in a file', () => {
  let commandLine: CommandLine;
  beforeEach(async () => {
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
  });
  afterEach(() => commandLine.remove());

  /** Runs what is built in a folder that need not be that of the database. */
  const backUpIn = (cwd: string): Promise<Finished> => {
    const env = { PATH: process.env['PATH'] ?? '', ...commandLine.backend };
    return finished(spawn(process.execPath, [resolve('dist/programs/cli.js'), 'db', 'backup', 'copy.sqlite'], { cwd, env }));
  };

  it('holds one moment of it while the service writes, and never goes over a file', async () => {
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
      expect(await stat(file)).toMatchObject({ ino: before.ino, mtimeMs: before.mtimeMs });
      expect((await readdir(commandLine.folder)).filter((name) => name.includes('part'))).toEqual([]);
    } finally {
      await service.stop('SIGKILL');
    }
  });

  it('is written to the working folder, or beside the database where that is the root, as in the image', async () => {
    for (const [cwd, folder] of [
      [commandLine.folder, ''],
      ['/', 'data'],
    ] as const) {
      const file = join(commandLine.folder, folder, 'copy.sqlite');
      const { code, stdout } = await backUpIn(cwd);
      expect([code, JSON.parse(stdout)]).toEqual([0, { file, bytes: (await stat(file)).size }]);
    }
  });

  it('says where it cannot be written, names a place where it can, and leaves nothing behind', async () => {
    const missing = await commandLine.run('db', 'backup', join(commandLine.folder, 'none/copy.sqlite'));
    expect(missing).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/none\/copy\.sqlite: there is no folder .*none\.\n$/) });
    // Of the kernel: nobody may write there, also root.
    const { code, stdout, stderr } = await backUpIn('/proc/self');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const beside = join(commandLine.folder, 'data', 'copy.sqlite');
    expect(stderr).toMatch(/^The backup cannot be written to \/proc\/.*copy\.sqlite: the folder \/proc\/\S+ cannot be written; /);
    expect(stderr).toContain(`; name a path in one that can be, such as ${beside}.\n`);
    expect((await commandLine.run('db', 'backup', beside)).code).toBe(0);
  });
});
