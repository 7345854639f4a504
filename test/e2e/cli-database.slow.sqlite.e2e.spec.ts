import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { startBuiltService } from './built-service.fixture.js';
import { openCommandLine } from './command-line.fixture.js';

describe('a backup of a database in a file', () => {
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
