import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
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
  const printed = async <Value>(...words: string[]) => JSON.parse((await commandLine.run(...words)).stdout) as Value;

  it('lists events as NDJSON ascending by position, by stream, type, position and number', async () => {
    await commandLine.addAnimals(1_200);
    await commandLine.run('pets', 'set-status', '2', 'sold');
    const list = async (...options: string[]) => linesOf((await commandLine.run('events', 'list', ...options)).stdout);
    const positions = async (...options: string[]) => (await list(...options)).map((line) => Number(/"position":(\d+)/.exec(line)?.[1]));
    const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

    expect((await list('--stream', 'pet-2'))[0]).toMatch(
      /^\{"position":2,"stream":"pet-2","version":1,"eventId":"[0-9a-f-]{36}","type":"pet-added","schemaVersion":1,"data":\{"name":"animal 2","categoryId":"1"\},"metadata":\{"actor":"[^"@]+@[^"]+"\},"recordedAt":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"\}$/,
    );
    expect(await positions()).toEqual(upTo(100));
    expect(await positions('--limit', '1100')).toEqual(upTo(1_100));
    expect(await positions('--type', 'pet-added', '--after', '1198')).toEqual([1_199, 1_200]);
  });

  it.each([
    ['nothing', 'SELECT 1', undefined],
    ['a gap', `DELETE FROM "events" WHERE "position" = 2`, 'stream pet-2 has 1 events with versions from 2 to 2'],
    [
      'a counter that stands behind',
      `UPDATE "sequences" SET "last_value" = 3 WHERE "name" = 'position'`,
      'the log ends at position 4, past its counter',
    ],
    ['a projection that differs', `UPDATE "${PETS_TABLE}" SET "name" = 'changed' WHERE "id" = 3`, 'projection pets'],
  ])('finds %s with events verify', async (_, script, problem) => {
    await commandLine.addAnimals(3);
    await commandLine.run('pets', 'set-status', '2', 'sold');
    await tamper(script);
    const { code, stdout, stderr } = await commandLine.run('events', 'verify');
    if (problem === undefined) {
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '{"events":4,"streams":3,"problems":[]}\n', stderr: '' });
      return;
    }
    expect(code).toBe(1);
    expect((JSON.parse(stdout) as { problems: string[] }).problems).toContainEqual(expect.stringContaining(problem));
    expect(stderr).toMatch(/^[^\n]+\n$/);
  });

  it('finds with doctor --full what a tampered projection hides, and rebuilds it', async () => {
    await commandLine.addAnimals(3);
    await tamper(`UPDATE "${PETS_TABLE}" SET "name" = 'changed'`);
    expect((await commandLine.run('doctor')).code).toBe(0);
    const full = await commandLine.run('doctor', '--full');
    expect([full.code, full.stdout]).toEqual([1, expect.stringMatching(/^problem 1: +projection pets/m)]);
    const current = { name: 'pets', generation: 2, position: 3, upToDate: true };
    expect(await printed('projections', 'rebuild', 'pets')).toMatchObject(current);
    expect((await commandLine.run('pets', 'export')).stdout).toBe(animals(3));
    expect(await printed('projections', 'status')).toContainEqual(
      expect.objectContaining({ ...current, used: true, lag: 0, rebuild: null }),
    );
    expect((await commandLine.run('doctor', '--full')).code).toBe(0);
  });

  it('tells with doctor what is wrong and what may be, without the values of variables', async () => {
    const environment = { LOG_LVL: 'hidden', REDIS_URL: 'redis://:hidden@cache.example:6379/1' };
    const json = await commandLine.runWith(environment, 'doctor', '--json');
    const warnings = expect.arrayContaining([expect.stringMatching(/^LOG_LVL .* LOG_LEVEL\.$/)]) as unknown;
    expect(JSON.parse(json.stdout)).toMatchObject({ ok: true, problems: [], warnings });
    const readable = await commandLine.runWith(environment, 'doctor');
    expect(readable.stdout).toContain('redis://***@cache.example:6379/1');
    expect(json.stdout + readable.stdout).not.toContain('hidden');
  });

  it('migrates once, and tells how to where there is no database, of which it makes none', async () => {
    const nothing = { code: 0, stdout: '{"applied":[]}\n', stderr: 'Nothing was changed: the database is up to date.\n' };
    expect(await commandLine.run('db', 'migrate')).toEqual(nothing);
    const url = commandLine.backend['DATABASE_URL'] ?? '';
    if (parseDatabaseUrl(url).kind === 'postgres') return;
    await rm(join(commandLine.folder, 'data'), { recursive: true });
    const advice = 'Mount the disk that has it, or restore a backup; for a new database run "npm run cli -- db migrate".';
    const stderr = `The database ${describeLocation(parseDatabaseUrl(url))} does not exist. ${advice}\n`;
    for (const words of ['keys create --name first', 'pets export', 'pets import -', 'events verify']) {
      expect(await commandLine.run(...words.split(' '))).toEqual({ code: 1, stdout: '', stderr });
    }
    expect(await readdir(commandLine.folder)).toEqual([]);
  });
});
