import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { startBuiltService } from './built-service.fixture.js';
import { animals, linesOf, openCommandLine, type CommandLine } from './command-line.fixture.js';

describe('operating the service from the command line', () => {
  let commandLine: CommandLine;
  beforeEach(async () => {
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
  });
  afterEach(() => commandLine.remove());

  /** Does to the database what no command does. */
  const tamper = (script: string) => {
    const connection = new SqliteConnection(commandLine.databasePath);
    connection.exec(script);
    connection.close();
  };

  describe('events list', () => {
    it('gives NDJSON ascending by position with exactly the promised members, by stream, type, position and number', async () => {
      await commandLine.addAnimals(3);
      await commandLine.run('pets', 'set-status', '2', 'sold');
      const list = async (...options: string[]) => linesOf((await commandLine.run('events', 'list', ...options)).stdout);

      const [event, second] = await list('--stream', 'pet-2');
      expect(event).toMatch(
        /^\{"position":2,"stream":"pet-2","version":1,"type":"pet-added","schemaVersion":1,"data":\{"name":"animal 2","categoryId":"1"\},"metadata":\{"actor":"cli"\},"recordedAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"\}$/,
      );
      expect(second).toContain('"position":4,"stream":"pet-2","version":2,"type":"pet-status-set"');
      const positions = async (...options: string[]) => (await list(...options)).map((line) => /"position":(\d+)/.exec(line)?.[1]);
      expect(await positions()).toEqual(['1', '2', '3', '4']);
      expect(await positions('--type', 'pet-added', '--after', '1')).toEqual(['2', '3']);
      expect(await positions('--after', '1', '--limit', '2')).toEqual(['2', '3']);
      expect(await positions('--stream', 'pet-9')).toEqual([]);
    });

    it('gives 100 events unless it is told otherwise, and more than a page when it is', async () => {
      await commandLine.addAnimals(2_500);
      expect(linesOf((await commandLine.run('events', 'list')).stdout)).toHaveLength(100);
      const lines = linesOf((await commandLine.run('events', 'list', '--limit', '2400')).stdout);
      expect(lines.map((line) => Number(/"position":(\d+)/.exec(line)?.[1]))).toEqual(
        Array.from({ length: 2_400 }, (_, index) => index + 1),
      );
    });

    it('shows neither a key nor its hash', async () => {
      const { key } = JSON.parse((await commandLine.run('keys', 'create', '--name', 'website')).stdout) as { key: string };
      const { stdout } = await commandLine.run('events', 'list');
      expect(stdout).toContain('"type":"api-key-issued"');
      expect(stdout).not.toContain(key);
      expect(stdout).not.toMatch(/[0-9a-f]{64}|[A-Za-z0-9+/_-]{43}/);
    });
  });

  describe('events verify', () => {
    beforeEach(async () => {
      await commandLine.addAnimals(3);
      await commandLine.run('pets', 'set-status', '2', 'sold');
    });

    it('finds nothing in a log that is right', async () => {
      expect(await commandLine.run('events', 'verify')).toEqual({
        code: 0,
        stdout: '{"events":4,"streams":3,"problems":[]}\n',
        stderr: '',
      });
    });

    it.each([
      [
        'a gap',
        `DROP TRIGGER "events_refuse_delete"; DELETE FROM "events" WHERE "position" = 2`,
        'stream pet-2 has 1 events with versions from 2 to 2',
      ],
      [
        'versions against the order of positions',
        `DROP TRIGGER "events_refuse_update";
         UPDATE "events" SET "stream_version" = 3 WHERE "position" = 2;
         UPDATE "events" SET "stream_version" = 1 WHERE "position" = 4;
         UPDATE "events" SET "stream_version" = 2 WHERE "position" = 2`,
        'stream pet-2 has version 2 at position 2',
      ],
      [
        'a counter that stands behind',
        `UPDATE "sequences" SET "last_value" = 3 WHERE "name" = 'position'`,
        'the log ends at position 4, past its counter',
      ],
      ['a projection that differs', `UPDATE "pets" SET "name" = 'changed' WHERE "id" = 3`, 'projection pets'],
    ])('finds %s and ends with 1', async (_, script, problem) => {
      tamper(script);
      const { code, stdout, stderr } = await commandLine.run('events', 'verify');
      expect(code).toBe(1);
      expect((JSON.parse(stdout) as { problems: string[] }).problems).toContainEqual(expect.stringContaining(problem));
      expect(stderr).toMatch(/^[^\n]+\n$/);
    });
  });

  describe('projections', () => {
    it('are told with their state and rebuilt by name', async () => {
      await commandLine.addAnimals(3);
      tamper(`UPDATE "pets" SET "name" = 'changed'`);
      const rebuilt = await commandLine.run('projections', 'rebuild', 'pets');
      expect(JSON.parse(rebuilt.stdout)).toMatchObject({ name: 'pets', generation: 2, position: 3, upToDate: true });
      expect(rebuilt).toMatchObject({ code: 0, stderr: '' });
      expect((await commandLine.run('pets', 'export')).stdout).toBe(animals(3));
      const statuses = JSON.parse((await commandLine.run('projections', 'status')).stdout) as object[];
      expect(statuses).toContainEqual({ name: 'pets', version: expect.any(Number), generation: 2, position: 3, upToDate: true });
    });
  });

  describe('db', () => {
    it('migrates once', async () => {
      await rm(join(commandLine.folder, 'data'), { recursive: true });
      const first = JSON.parse((await commandLine.run('db', 'migrate')).stdout) as { applied: string[] };
      expect(first.applied).toContainEqual(expect.stringMatching(/^CreateEventLog/));
      expect(await commandLine.run('db', 'migrate')).toEqual({ code: 0, stdout: '{"applied":[]}\n', stderr: '' });
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

    it('says where a backup cannot be written and leaves nothing behind', async () => {
      const { code, stdout, stderr } = await commandLine.run('db', 'backup', join(commandLine.folder, 'none/copy.sqlite'));
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(/^The backup cannot be written to .*none\/copy\.sqlite: [^\n]+\n$/);
    });
  });

  describe('doctor', () => {
    it('finds nothing wrong where all is well, as lines and as JSON', async () => {
      await commandLine.run('keys', 'create', '--name', 'website');
      const readable = await commandLine.run('doctor', '--full');
      expect(readable).toMatchObject({ code: 0, stderr: '' });
      expect(readable.stdout).toMatch(/^Versions\n {2}service: .*\n {2}node: /);
      expect(readable.stdout).toContain('\n  events: 1\n  apiKeys: 1\nNext\n  Nothing is wrong');
      const json = await commandLine.run('doctor', '--json');
      expect(JSON.parse(json.stdout)).toMatchObject({
        ok: true,
        problems: [],
        configuration: { port: 3000, database: `sqlite:${commandLine.databasePath}` },
        database: { exists: true, pendingMigrations: [], events: 1, apiKeys: 1 },
      });
    });

    it('says what to do where there is no database, and makes none', async () => {
      await rm(join(commandLine.folder, 'data'), { recursive: true });
      const { code, stdout, stderr } = await commandLine.run('doctor');
      expect(code).toBe(1);
      expect(stdout).toContain('Wrong\n  The database ');
      expect(stdout).toContain('Next\n  Run "npm start"');
      expect(stderr).toMatch(/^Found wrong: [^\n]+\n$/);
      expect(await readdir(commandLine.folder)).toEqual([]);
    });

    it('lists every mistake of the configuration', async () => {
      const environment = { PORT: 'x', LOG_LEVEL: 'loud' };
      const { code, stdout } = await commandLine.runWith(environment, 'doctor', '--json');
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).toMatchObject({
        ok: false,
        problems: [expect.stringContaining('PORT must be'), expect.stringContaining('LOG_LEVEL must be')],
      });
    });

    it('finds with --full what a tampered projection hides', async () => {
      await commandLine.addAnimals(3);
      tamper(`UPDATE "pets" SET "name" = 'changed' WHERE "id" = 3`);
      expect((await commandLine.run('doctor')).code).toBe(0);
      const full = await commandLine.run('doctor', '--full');
      expect(full.code).toBe(1);
      expect(full.stdout).toContain('Wrong\n  projection pets');
    });
  });
});
