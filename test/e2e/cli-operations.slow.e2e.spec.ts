import { describeLocation, parseDatabaseUrl } from '#libs/database';
import { tamperWith } from '../databases/test-database.fixture.js';
import { animals, linesOf, openCommandLine, type CommandLine } from './command-line.fixture.js';
import { PETS_TABLE } from './read-model-tables.fixture.js';

describe('operating the service from the command line', () => {
  let commandLine: CommandLine;
  beforeEach(async () => {
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
  });
  afterEach(() => commandLine.remove());

  /** Does to the database what no command does. */
  const tamper = (statements: string) => tamperWith(commandLine.backend['DATABASE_URL'] ?? '', statements);

  describe('events list', () => {
    it('gives NDJSON ascending by position with exactly the promised members, by stream, type, position and number', async () => {
      await commandLine.addAnimals(3);
      await commandLine.run('pets', 'set-status', '2', 'sold');
      const list = async (...options: string[]) => linesOf((await commandLine.run('events', 'list', ...options)).stdout);

      const [event, second] = await list('--stream', 'pet-2');
      expect(event).toMatch(
        /^\{"position":2,"stream":"pet-2","version":1,"type":"pet-added","schemaVersion":1,"data":\{"name":"animal 2","categoryId":"1"\},"metadata":\{"actor":"[^"@]+@[^"]+"\},"recordedAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"\}$/,
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

    it.each([
      ['pet-aded', 'No event of the type pet-aded was found. Did you mean pet-added?\n'],
      ['api-key-revokd', 'No event of the type api-key-revokd was found. Did you mean api-key-revoked?\n'],
      ['pet-withdrawn', ''],
      ['nonsense', ''],
    ])('gives nothing for the type %s, and names the one that was probably meant', async (type, stderr) => {
      await commandLine.addAnimals(1);
      expect(await commandLine.run('events', 'list', '--type', type)).toEqual({ code: 0, stdout: '', stderr });
    });

    it('finds a type that this build does not know, without a hint', async () => {
      await commandLine.addAnimals(1);
      await tamper(`UPDATE "events" SET "type" = 'pet-aded'`);
      const { stdout, stderr } = await commandLine.run('events', 'list', '--type', 'pet-aded');
      expect(stdout).toMatch(/^\{"position":1,[^\n]*\n$/);
      expect(stderr).toBe('');
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
      ['a gap', `DELETE FROM "events" WHERE "position" = 2`, 'stream pet-2 has 1 events with versions from 2 to 2'],
      [
        'versions against the order of positions',
        `UPDATE "events" SET "stream_version" = 3 WHERE "position" = 2;
         UPDATE "events" SET "stream_version" = 1 WHERE "position" = 4;
         UPDATE "events" SET "stream_version" = 2 WHERE "position" = 2`,
        'stream pet-2 has version 2 at position 2',
      ],
      [
        'a counter that stands behind',
        `UPDATE "sequences" SET "last_value" = 3 WHERE "name" = 'position'`,
        'the log ends at position 4, past its counter',
      ],
      ['a projection that differs', `UPDATE "${PETS_TABLE}" SET "name" = 'changed' WHERE "id" = 3`, 'projection pets'],
    ])('finds %s and ends with 1', async (_, script, problem) => {
      await tamper(script);
      const { code, stdout, stderr } = await commandLine.run('events', 'verify');
      expect(code).toBe(1);
      expect((JSON.parse(stdout) as { problems: string[] }).problems).toContainEqual(expect.stringContaining(problem));
      expect(stderr).toMatch(/^[^\n]+\n$/);
    });
  });

  describe('projections', () => {
    it('are told with their state and rebuilt by name', async () => {
      await commandLine.addAnimals(3);
      await tamper(`UPDATE "${PETS_TABLE}" SET "name" = 'changed'`);
      const rebuilt = await commandLine.run('projections', 'rebuild', 'pets');
      expect(JSON.parse(rebuilt.stdout)).toMatchObject({ name: 'pets', generation: 2, position: 3, upToDate: true });
      expect(rebuilt).toMatchObject({ code: 0, stderr: '' });
      expect((await commandLine.run('pets', 'export')).stdout).toBe(animals(3));
      const statuses = JSON.parse((await commandLine.run('projections', 'status')).stdout) as object[];
      expect(statuses).toContainEqual({
        name: 'pets',
        version: expect.any(Number),
        used: true,
        generation: 2,
        position: 3,
        upToDate: true,
        lag: 0,
        rebuild: null,
      });
    });
  });

  describe('doctor', () => {
    it('finds nothing wrong where all is well, as lines and as JSON', async () => {
      await commandLine.run('keys', 'create', '--name', 'website');
      const readable = await commandLine.run('doctor', '--full');
      expect(readable).toMatchObject({ code: 0, stderr: '' });
      expect(readable.stdout).toMatch(/^Installation\n {2}place: +checkout\n {2}service: .*\n {2}node: /);
      expect(readable.stdout).toMatch(/\n {2}events: +1\n {2}API keys: +1\nProblems\n {2}none\n$/);
      const location = parseDatabaseUrl(commandLine.backend['DATABASE_URL'] ?? '');
      const json = await commandLine.run('doctor', '--json');
      expect(JSON.parse(json.stdout)).toMatchObject({
        ok: true,
        place: 'checkout',
        problems: [],
        warnings: [],
        configuration: { port: 3000, database: `${location.kind}:${describeLocation(location)}` },
        database: { exists: true, pendingMigrations: [], events: 1, apiKeys: 1 },
      });
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

    it('warns of variables that are nearly one of the service, without their values', async () => {
      const environment = { LOG_LVL: 'hidden', WEBHOOK_TIMEOUT: 'hidden', PGHOST: 'hidden' };
      const json = await commandLine.runWith(environment, 'doctor', '--json');
      expect(JSON.parse(json.stdout)).toMatchObject({
        ok: true,
        warnings: [
          expect.stringMatching(/^LOG_LVL .* LOG_LEVEL\.$/),
          expect.stringMatching(/^WEBHOOK_TIMEOUT .* WEBHOOK_TIMEOUT_SECONDS\.$/),
        ],
      });
      const readable = await commandLine.runWith(environment, 'doctor');
      expect(readable.stdout).toMatch(/\nWarnings\n {2}LOG_LVL is set, [^\n]+\n {2}WEBHOOK_TIMEOUT is set, [^\n]+\n$/);
      expect(json.stdout + readable.stdout).not.toContain('hidden');
    });

    it('warns of texts that are searched without an index, as on a server without pg_trgm', async () => {
      await commandLine.addAnimals(1);
      const isServer = parseDatabaseUrl(commandLine.backend['DATABASE_URL'] ?? '').kind === 'postgres';
      if (isServer) await tamper('DROP EXTENSION "pg_trgm" CASCADE');
      const warning = /^Parts of texts are searched in at most 100,000 rows of pet-search, .* projections rebuild pet-search"\.$/;
      expect(JSON.parse((await commandLine.run('doctor', '--json')).stdout)).toMatchObject({
        ok: true,
        warnings: isServer ? [expect.stringMatching(warning)] : [],
      });
    });

    it('never shows the password of a server', async () => {
      const environment = { REDIS_URL: 'redis://:hidden@cache.example:6379/1' };
      const { stdout } = await commandLine.runWith(environment, 'doctor');
      expect(stdout).toContain('redis://***@cache.example:6379/1');
      expect(stdout).not.toContain('hidden');
      expect((await commandLine.runWith(environment, 'doctor', '--json')).stdout).not.toContain('hidden');
    });

    it('finds with --full what a tampered projection hides', async () => {
      await commandLine.addAnimals(3);
      await tamper(`UPDATE "${PETS_TABLE}" SET "name" = 'changed' WHERE "id" = 3`);
      expect((await commandLine.run('doctor')).code).toBe(0);
      const full = await commandLine.run('doctor', '--full');
      expect(full.code).toBe(1);
      expect(full.stdout).toContain('Problems\n  projection pets');
    });
  });
});
