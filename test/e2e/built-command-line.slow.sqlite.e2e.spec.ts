import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Finished } from './built-service.fixture.js';
import { runHere } from './command-line.fixture.js';

const PROGRAM = resolve('dist/programs/cli.js');
const COMMAND = /^ {2}([a-z-]+) /gm;
const execute = promisify(execFile);

function runProgram(words: readonly string[], cwd: string): Promise<Finished> {
  return new Promise((settle) => {
    execFile(PROGRAM, words, { cwd, env: { PATH: process.env['PATH'] } }, (error, stdout, stderr) => {
      settle({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

async function helpOf(words: readonly string[]): Promise<string> {
  return (await runHere({}, [...words, '--help'])).stdout;
}

/** The command of these words and all below it. */
async function commandsIn(words: readonly string[]): Promise<(readonly string[])[]> {
  const [, list = ''] = (await helpOf(words)).split('\nCommands:\n');
  const names = [...list.matchAll(COMMAND)].map(([, name = '']) => name).filter((name) => name !== 'help');
  return [words, ...(await Promise.all(names.map((name) => commandsIn([...words, name])))).flat()];
}

describe('the built command line', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'adoption-program-'))));
  afterAll(() => rm(folder, { recursive: true }));

  it('gives the help of every command as the source does', async () => {
    const commands = await commandsIn([]);
    expect(commands.length).toBeGreaterThan(40);
    for (const words of commands) {
      expect(await runProgram([...words, '--help'], folder)).toEqual({ code: 0, stdout: await helpOf(words), stderr: '' });
    }
  });

  it.each([
    [[]],
    [['keys']],
    [['--version']],
    [['help', 'nonsense']],
    [['keys', 'crate']],
    [['keys', 'create']],
    [['keys', 'create', '--nmae', 'website']],
    [['keys', 'show', 'abc']],
    [['keys', 'show', '1', '2']],
    [['keys', 'rotate', '1', '--grace', '5w']],
    [['pets', 'import', '-', '--format', 'xml']],
    [['events', 'list', '--limit', '0']],
  ])('answers %j as the source does', async (words) => {
    expect(await runProgram(words, folder)).toEqual(await runHere({}, words));
  });

  it('runs what needs the application, from a folder of its own and by a link', async () => {
    await execute('ln', ['-s', PROGRAM, 'adoption'], { cwd: folder });
    const { stdout } = await execute('./adoption', ['db', 'migrate'], { cwd: folder });
    expect(JSON.parse(stdout)).toMatchObject({ applied: expect.arrayContaining(['CreateEventLog1767225600000']) });
    expect(await runProgram(['keys', 'list'], folder)).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });
});
