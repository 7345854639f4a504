import { execFileSync } from 'node:child_process';
import { chmod, mkdir, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execute, tamperWith } from '../databases/test-database.fixture.js';
import {
  createWorkingDirectory,
  logLines,
  runBuilt,
  startBuiltService,
  type BuiltService,
  type WorkingDirectory,
} from './built-service.fixture.js';
import { fetchDocumented } from './documented-traffic.fixture.js';

describe('starting on a database file', () => {
  let folder: WorkingDirectory;
  let file: string;
  let service: BuiltService | undefined;
  beforeEach(async () => {
    folder = await createWorkingDirectory();
    file = join(folder.path, 'data', 'adoption.sqlite');
  });
  afterEach(async () => {
    await service?.stop('SIGKILL');
    service = undefined;
    await folder.remove();
  });

  const start = async () => (service = await startBuiltService(folder.path, folder.backend));
  const refusal = async (url = `sqlite:${file}`) => {
    const { code, stdout, stderr } = await runBuilt('main', [], {
      cwd: folder.path,
      environment: { DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'silent' },
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    const [line, ...others] = logLines(stderr);
    expect([line, others]).toEqual([
      expect.objectContaining({ level: 60, msg: expect.stringMatching(/^The service cannot start: .+$/) }),
      [],
    ]);
    return String(line?.['msg']);
  };

  describe('that another service uses', () => {
    it('is refused by whichever path, with the file and the process that has it', async () => {
      const { pid } = await start();
      await symlink(file, join(folder.path, 'link.sqlite'));
      await symlink(join(folder.path, 'data'), join(folder.path, 'other'));
      for (const path of [file, './data/../data/adoption.sqlite', './link.sqlite', './other/adoption.sqlite']) {
        const message = await refusal(`sqlite:${path}`);
        expect(message).toContain(`another service (process ${pid}) uses ${file}, and only one service can use a database file`);
      }
    });

    it('is refused to all but one of those that start together', async () => {
      const together = await Promise.allSettled(Array.from({ length: 3 }, () => startBuiltService(folder.path, folder.backend)));
      const started = together.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
      await Promise.all(started.map((each) => each.stop('SIGKILL')));
      expect(started).toHaveLength(1);
      for (const each of together) {
        if (each.status === 'rejected') expect(String(each.reason)).toContain('only one service can use a database file');
      }
    });

    it.each(['SIGKILL', 'SIGTERM'] as const)('is free again when that one has ended by %s', async (signal) => {
      await (await start()).stop(signal);
      await start();
    });

    it('is open to the command line', async () => {
      await start();
      const { code, stdout } = await runBuilt('cli', ['keys', 'create', '--name', 'website'], {
        cwd: folder.path,
        environment: folder.backend,
      });
      expect(code).toBe(0);
      const { key } = JSON.parse(stdout) as { key: string };
      const answer = await fetchDocumented(`${service?.origin ?? ''}/v1/pets`, { headers: { authorization: `Bearer ${key}` } });
      expect(answer.status).toBe(200);
    });
  });

  describe('that is not as it should be', () => {
    /** A database with some animals that no service uses any more; its write-ahead log is in the file. */
    const makeDatabase = async () => {
      await (await start()).stop('SIGTERM');
      const input = Array.from({ length: 2_000 }, (_, index) => `{"name":"animal ${index}","categoryId":1}\n`).join('');
      const { code } = await runBuilt('cli', ['pets', 'import', '-'], { cwd: folder.path, environment: folder.backend, input });
      expect(code).toBe(0);
    };

    it('is refused when it is no database', async () => {
      await mkdir(join(folder.path, 'data'));
      await writeFile(file, 'This is a text and no database. '.repeat(500));
      expect(await refusal()).toContain(`${file} is not a database of SQLite, or its header is damaged. Restore a backup`);
    });

    it('is refused when its header is damaged', async () => {
      await makeDatabase();
      execFileSync('dd', ['if=/dev/zero', `of=${file}`, 'bs=16', 'count=1', 'conv=notrunc'], { stdio: 'ignore' });
      expect(await refusal()).toContain(`${file} is not a database of SQLite, or its header is damaged. Restore a backup`);
    });

    it('is refused when it was cut short', async () => {
      await makeDatabase();
      await truncate(file, 65_536);
      expect(await refusal()).toContain(`${file} is damaged. Restore a backup`);
    });

    it.each([
      ['a table is missing', 'DROP TABLE "idempotency_keys"', 'table idempotency_keys'],
      ['a table has another form', 'ALTER TABLE "sequences" RENAME COLUMN "last_value" TO "value"', 'table sequences'],
      ['nothing keeps the log from being changed', 'DROP TRIGGER "events_refuse_update"', 'trigger events_refuse_update'],
    ])('is refused when %s', async (_, statements, missing) => {
      await makeDatabase();
      await execute(`sqlite:${file}`, statements);
      const message = await refusal();
      expect(message).toContain(`${file} is not a database of this service, or it is damaged: `);
      expect(message).toContain(missing);
    });

    it.each([
      ['cannot be read', `UPDATE "events" SET "data" = '{"name' WHERE "position" = 2001`, 'the event at position 2001 cannot be read'],
      [
        'is not the last one counted',
        `DELETE FROM "events" WHERE "position" = 2001`,
        'it ends at position 2000, but the last one given out is 2001',
      ],
    ])('is refused when its last event %s', async (_, statements, message) => {
      await makeDatabase();
      await tamperWith(`sqlite:${file}`, statements);
      expect(await refusal()).toContain(message);
    });

    it('is refused when it may only be read', async () => {
      await makeDatabase();
      await chmod(file, 0o444);
      // Root may write what it may only read; what nobody may write, it may not either.
      if (process.getuid?.() === 0) execFileSync('chattr', ['+i', file]);
      try {
        expect(await refusal()).toContain(`${file} cannot be written. Give this user the right`);
      } finally {
        if (process.getuid?.() === 0) execFileSync('chattr', ['-i', file]);
      }
    });
  });
});
