import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describeLocation, parseDatabaseUrl } from '#libs/database';
import { VERSION } from '../../src/config/index.js';
import type { Finished } from './built-service.fixture.js';
import { openCommandLine, type CommandLine } from './command-line.fixture.js';

const execute = promisify(execFile);
const ONE_LINE = /^[^\n]+\n$/;

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  keys: ['create', 'update', 'list', 'show', 'usage', 'set-plan', 'ban', 'unban', 'add-scope', 'remove-scope', 'rotate', 'revoke'],
  pets: ['set-status', 'correct', 'withdraw', 'import', 'export'],
  orders: ['list', 'show', 'approve', 'deliver', 'cancel'],
  events: ['list', 'verify'],
  projections: ['status', 'rebuild'],
  db: ['migrate', 'backup'],
};

function expectFailure({ code, stdout, stderr }: Finished, expected: number, reason: string): void {
  expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
  expect(stderr).toMatch(ONE_LINE);
  expect(stderr).toContain(reason);
  expect(stderr).not.toMatch(/^ {4}at /m);
}

describe('the command line', () => {
  let commandLine: CommandLine;
  beforeAll(async () => {
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
  });
  afterAll(() => commandLine.remove());

  it.each([
    [['nonsense'], "unknown command 'nonsense'"],
    [['keys', 'crate'], 'Did you mean create?'],
    [['help', 'nonsense'], "unknown command 'nonsense'"],
    [['keys', 'help', 'nonsense'], "unknown command 'nonsense'"],
    [['keys', 'create'], "required option '--name <name>' not specified"],
    [['keys', 'create', '--nmae', 'website'], "unknown option '--nmae' (Did you mean --name?)"],
    [['keys', 'list', '--nope'], "unknown option '--nope'"],
    [['keys', 'list', 'more'], 'too many arguments'],
    [['keys', 'show'], "missing required argument 'id'"],
    [['keys', 'show', 'abc'], 'ID must be an API key'],
    [['keys', 'rotate', '1', '--grace', '5w'], '"5w" is not a duration'],
    [['keys', 'create', '--name', 'a', '--per-day', '1e3'], '--per-day must be a whole number'],
    [['pets', 'withdraw', 'rex', '--reason', 'gone'], "ID must be an animal's number in plain digits"],
    [['pets', 'set-status', '01', 'sold'], "ID must be an animal's number in plain digits"],
    [['pets', 'correct', '1', '--category-id', 'x'], '--category-id must be an int64'],
    [['orders', 'cancel', '0'], "ID must be an order's number"],
    [['pets', 'import', '-', '--format', 'xml'], 'ndjson, csv'],
    [['pets', 'import', 'a.ndjson', '--batch', 'b'], '--batch is for standard input'],
    [['events', 'list', '--limit', '0'], '--limit must be a whole number from 1'],
    [['events', 'list', '--after', '1e3'], '--after must be a whole number from 0'],
  ])('answers the mistake in its use %j with exit code 2 and one line on standard error', async (words, reason) => {
    expectFailure(await commandLine.run(...words), 2, reason);
  });

  it.each([
    [['keys', 'show', '99'], 'There is no API key 99'],
    [['keys', 'create', '--name', ' '], 'name must be'],
    [['pets', 'import', 'none.ndjson'], 'none.ndjson cannot be read: it does not exist'],
    [['pets', 'import', '.'], '. is not a file'],
    [['pets', 'withdraw', '1', '--reason', 'gone'], 'There is no animal with the id 1'],
    [['projections', 'rebuild', 'dogs'], 'There is no projection dogs'],
  ])('answers %j, which a rule or the database refuses, with exit code 1 and one line on standard error', async (words, reason) => {
    expectFailure(await commandLine.run(...words), 1, reason);
  });

  it.each([
    [[], 'Usage: adoption [options] [command]'],
    [['keys'], 'Usage: adoption keys [options] [command]'],
    [['keys', '--json'], 'Usage: adoption keys [options] [command]'],
    [['help'], 'Usage: adoption [options] [command]'],
    [['help', 'keys'], 'Usage: adoption keys [options] [command]'],
  ])('gives help for %j, which names no command', async (words, usage) => {
    const { code, stdout, stderr } = await commandLine.run(...words);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`${usage}\n`);
  });

  it.each([['--version'], ['-V']])('tells its version: %s', async (option) => {
    expect(await commandLine.run(option)).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  it('adds the stack of a mistake at the log levels debug and trace alone', async () => {
    const command = `LOG_LEVEL=debug ${process.execPath} ${resolve('scripts/run-built.mjs')} cli pets withdraw 1 --reason gone 2>&1 || true`;
    const { stdout } = await execute('bash', ['-c', command], { cwd: commandLine.folder });
    expect(stdout).toMatch(/^There is no animal.*\nPetNotFoundError.*\n {4}at /);
  });

  it('names all mistakes of the configuration in one line', async () => {
    const { code, stdout, stderr } = await commandLine.runWith({ PORT: 'x', LOG_LEVEL: 'loud' }, 'keys', 'list');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(ONE_LINE);
    expect(stderr).toMatch(/PORT must be .*; LOG_LEVEL must be /);
  });

  it('gives help on standard output at every level', async () => {
    const levels = [[], ...Object.keys(COMMANDS).map((group) => [group]), ['doctor']];
    const leaves = Object.entries(COMMANDS).flatMap(([group, names]) => names.map((name) => [group, name]));
    for (const words of [...levels, ...leaves]) {
      const { code, stdout, stderr } = await commandLine.run(...words, '--help');
      expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' });
      expect(stdout).toContain(`Usage: adoption${words.map((word) => ` ${word}`).join('')} [options]`);
      expect(stdout).toMatch(/^ {2}--json /m);
    }
  });

  it.each([
    ['keys', 'list', '--json'],
    ['keys', '--json', 'list'],
    ['--json', 'keys', 'list'],
  ])('takes --json in %s %s %s', async (...words) => {
    expect(await commandLine.run(...words)).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });

  it('ends quietly when its reader goes away', async () => {
    await commandLine.addAnimals(3_000);
    const command = `set -o pipefail; ${process.execPath} ${resolve('scripts/run-built.mjs')} cli events list --limit 3000 | head -n 1`;
    const { stdout, stderr } = await execute('bash', ['-c', command], { cwd: commandLine.folder });
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^\{"position":1,.*\}\n$/);
  });

  it.each(['keys list', '--help'])('says so when its result cannot be written: %s', async (words) => {
    const command = `${process.execPath} ${resolve('scripts/run-built.mjs')} cli ${words} > /dev/full`;
    await expect(execute('bash', ['-c', command], { cwd: commandLine.folder })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^The command failed: .*ENOSPC[^\n]*\n$/),
    });
  });
});

describe('the command line before there is a database', () => {
  let commandLine: CommandLine;
  beforeEach(async () => (commandLine = await openCommandLine()));
  afterEach(() => commandLine.remove());

  it.each([
    ['keys', 'list'],
    ['keys', 'create', '--name', 'first'],
    ['orders', 'list'],
    ['pets', 'export'],
    ['pets', 'import', '-'],
    ['events', 'verify'],
    ['projections', 'status'],
  ])('tells how to make one and makes none: %s %s', async (...words) => {
    expect(await commandLine.run(...words)).toEqual({
      code: 1,
      stdout: '',
      stderr: `The database ${describeLocation(parseDatabaseUrl(commandLine.backend['DATABASE_URL'] ?? ''))} does not exist yet: start the service once or run "npm run cli -- db migrate".\n`,
    });
    expect((await readdir(commandLine.folder)).filter((name) => name !== '.env')).toEqual([]);
  });

  it('names the file that is no database', async () => {
    const file = await commandLine.file('other.sqlite', 'this is a text and no database at all\n'.repeat(100));
    const { code, stderr } = await commandLine.runWith({ DATABASE_URL: `sqlite:${file}` }, 'keys', 'list');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The database .*other\.sqlite cannot be opened: .*file is not a database\.\n$/);
  });
});

describe('run-built', () => {
  it('says so when nothing is built, and builds nothing', async () => {
    const commandLine = await openCommandLine();
    try {
      await mkdir(join(commandLine.folder, 'scripts'));
      await copyFile(resolve('scripts/run-built.mjs'), join(commandLine.folder, 'scripts/run-built.mjs'));
      await expect(execute(process.execPath, ['scripts/run-built.mjs', 'cli'], { cwd: commandLine.folder })).rejects.toMatchObject({
        code: 1,
        stdout: '',
        stderr: 'Nothing is built yet: run "npm run build" first.\n',
      });
      expect((await readdir(commandLine.folder)).filter((name) => name !== '.env')).toEqual(['scripts']);
    } finally {
      await commandLine.remove();
    }
  });
});
