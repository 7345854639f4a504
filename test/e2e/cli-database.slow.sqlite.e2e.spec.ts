import { spawn } from 'node:child_process';
import { readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { finished, startBuiltService } from './built-service.fixture.js';
import { openCommandLine, type CommandLine } from './command-line.fixture.js';

describe('the command line on a database in a file', () => {
  let commandLine: CommandLine;
  beforeEach(async () => {
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
  });
  afterEach(() => commandLine.remove());

  describe('db', () => {
    it('migrates once', async () => {
      await rm(join(commandLine.folder, 'data'), { recursive: true });
      const first = JSON.parse((await commandLine.run('db', 'migrate')).stdout) as { applied: string[] };
      expect(first.applied).toContainEqual(expect.stringMatching(/^CreateEventLog/));
      expect(await commandLine.run('db', 'migrate')).toEqual({
        code: 0,
        stdout: '{"applied":[]}\n',
        stderr: 'Nothing was changed: the database is up to date.\n',
      });
    });

    it('backs up one moment of the database while the service writes, and never over a file', async () => {
      const service = await startBuiltService(commandLine.folder);
      const file = join(commandLine.folder, 'copy.sqlite');
      try {
        await commandLine.addAnimals(500);
        const [backup] = await Promise.all([commandLine.run('db', 'backup', file), commandLine.addAnimals(5_000)]);
        expect(backup).toMatchObject({ code: 0, stderr: '' });
        expect(JSON.parse(backup.stdout)).toEqual({ file, bytes: (await stat(file)).size });
        const onCopy = { DATABASE_URL: `sqlite:${file}` };
        const { events, problems } = JSON.parse((await commandLine.runWith(onCopy, 'events', 'verify')).stdout) as {
          events: number;
          problems: [];
        };
        expect(events).toBeGreaterThanOrEqual(500);
        expect(problems).toEqual([]);
        expect((await commandLine.runWith(onCopy, 'doctor', '--full')).code).toBe(0);

        const again = await commandLine.run('db', 'backup', file);
        expect(again).toEqual({ code: 1, stdout: '', stderr: `${file} exists already; a backup never replaces a file.\n` });
        expect((await readdir(commandLine.folder)).filter((name) => name.includes('part'))).toEqual([]);
      } finally {
        await service.stop('SIGKILL');
      }
    });

    it.each([
      ['in the working folder', (folder: string) => folder],
      ['beside the database where that is the root, as in the image', () => '/'],
    ])('writes a backup that is named without a folder %s', async (_where, workingFolder) => {
      const words = ['db', 'backup', 'copy.sqlite'];
      const cwd = workingFolder(commandLine.folder);
      const env = { PATH: process.env['PATH'] ?? '', ...commandLine.backend };
      const { code, stdout } = await finished(spawn(process.execPath, [resolve('dist/programs/cli.js'), ...words], { cwd, env }));
      const expected = join(commandLine.folder, cwd === '/' ? 'data' : '', 'copy.sqlite');
      expect([code, JSON.parse(stdout)]).toEqual([0, { file: expected, bytes: (await stat(expected)).size }]);
    });

    it('says where a backup cannot be written and leaves nothing behind', async () => {
      const { code, stdout, stderr } = await commandLine.run('db', 'backup', join(commandLine.folder, 'none/copy.sqlite'));
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^The backup cannot be written to .*none\/copy\.sqlite: there is no folder .*none\.\n$/);
    });

    it('names a place for a backup where the working directory is none', async () => {
      const database = join(commandLine.folder, 'data', 'adoption.sqlite');
      const child = spawn(process.execPath, [resolve('dist/programs/cli.js'), 'db', 'backup', 'copy.sqlite'], {
        // Of the kernel: nobody may write there, also root.
        cwd: '/proc/self',
        env: { PATH: process.env['PATH'], DATABASE_URL: `sqlite:${database}` },
      });
      const { code, stdout, stderr } = await finished(child);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      const beside = join(commandLine.folder, 'data', 'copy.sqlite');
      expect(stderr).toMatch(/^The backup cannot be written to \/proc\/.*copy\.sqlite: the folder \/proc\/\S+ cannot be written; /);
      expect(stderr).toContain(`; name a path in one that can be, such as ${beside}.\n`);
      expect((await commandLine.run('db', 'backup', beside)).code).toBe(0);
    });
  });

  describe('doctor', () => {
    it('says what to do where there is no database, and makes none', async () => {
      await rm(join(commandLine.folder, 'data'), { recursive: true });
      const { code, stdout, stderr } = await commandLine.run('doctor');
      expect(code).toBe(1);
      expect(stdout).toMatch(
        /Problems\n {2}The database .* does not exist yet: start the service once or run "npm run cli -- db migrate"\.\n/,
      );
      expect(stderr).toMatch(/^Problems: [^\n]+\n$/);
      expect(await readdir(commandLine.folder)).toEqual([]);
    });
  });
});
