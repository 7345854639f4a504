import { execFile, execFileSync } from 'node:child_process';
import { chmod, copyFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadServiceConfiguration } from '../../src/bootstrap/composition.js';
import { createApp } from '../../src/bootstrap/create-app.js';
import { execute, tamperWith } from '../databases/test-database.fixture.js';
import { openCommandLine, type CommandLine } from './command-line.fixture.js';

const executeFile = promisify(execFile);

describe('a start on a file that is not as it should be', () => {
  let commandLine: CommandLine;
  beforeAll(async () => {
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
    await commandLine.addAnimals(2_000);
  });
  afterAll(() => commandLine.remove());

  it('is refused with what is wrong', async () => {
    const damaged = join(commandLine.folder, 'damaged.sqlite');
    const notSqlite = `${damaged} is not a database of SQLite, or its header is damaged. Restore a backup`;
    const tamper = (statements: string) => () => tamperWith(`sqlite:${damaged}`, statements);
    const isRoot = process.getuid?.() === 0;
    const makeUnwritable = async () => {
      await chmod(damaged, 0o444);
      // Root may write what it may only read; what nobody may write, it may not either.
      if (isRoot) execFileSync('chattr', ['+i', damaged]);
    };
    for (const [damage, said] of [
      [() => writeFile(damaged, 'This is a text and no database. '.repeat(500)), notSqlite],
      [() => executeFile('dd', ['if=/dev/zero', `of=${damaged}`, 'bs=16', 'count=1', 'conv=notrunc']), notSqlite],
      [() => truncate(damaged, 65_536), `${damaged} is damaged. Restore a backup`],
      [
        () => rm(damaged).then(() => execute(`sqlite:${damaged}`, 'CREATE TABLE "things" ("id" INTEGER)')),
        `${damaged} is not a database of this`,
      ],
      [tamper(`UPDATE "events" SET "data" = '{"name' WHERE "position" = 2000`), 'the event at position 2000 cannot be read'],
      [tamper('DELETE FROM "events" WHERE "position" = 2000'), 'it ends at position 1999, but the last one given out is 2000'],
      [makeUnwritable, `${damaged} cannot be written. Give this user the right`],
    ] as const) {
      for (const end of ['', '-wal', '-shm']) await rm(damaged + end, { force: true });
      await copyFile((commandLine.backend['DATABASE_URL'] ?? '').replace('sqlite:', ''), damaged);
      await damage();
      const starting = createApp(loadServiceConfiguration({ DATABASE_URL: `sqlite:${damaged}`, LOG_LEVEL: 'silent' }));
      await expect(starting).rejects.toThrow(said);
    }
    if (isRoot) execFileSync('chattr', ['-i', damaged]);
  });
});
