import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Finished } from './built-service.fixture.js';
import { runHere } from './command-line.fixture.js';

const PROGRAMS = resolve('dist/programs');
const PROGRAM = join(PROGRAMS, 'cli.js');
const execute = promisify(execFile);

function runProgram(words: readonly string[], cwd: string): Promise<Finished> {
  return new Promise((settle) => {
    execFile(PROGRAM, words, { cwd, env: { PATH: process.env['PATH'] } }, (error, stdout, stderr) => {
      settle({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
  });
}

/** The files that are loaded before a command acts. */
function loadedFiles(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found;
  found.add(name);
  for (const [, next = ''] of readFileSync(join(PROGRAMS, name), 'utf8').matchAll(/^import .*"\.\/([^"]+)";$/gm)) loadedFiles(next, found);
  return found;
}

describe('the built command line', () => {
  let folder: string;
  beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'adoption-program-'))));
  afterAll(() => rm(folder, { recursive: true }));

  it('loads nothing of the application until a command acts', () => {
    const text = [...loadedFiles('cli.js')].map((name) => readFileSync(join(PROGRAMS, name), 'utf8')).join('\n');
    const packages = new Set([...text.matchAll(/^\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map(([, name]) => name));
    expect(packages).toContain('commander');
    for (const name of ['@nestjs/common', '@nestjs/cqrs', 'fastify', 'zod']) expect(packages).not.toContain(name);
    expect(text).not.toMatch(/^import .*"(?:typeorm|better-sqlite3)";$/m);
  });

  it.each([
    [[]],
    [['--help']],
    [['keys', 'create', '--help']],
    [['pets', 'import', '--help']],
    [['db', 'transfer', '--help']],
    [['--version']],
    [['help', 'nonsense']],
    [['keys', 'create', '--nmae', 'website']],
    [['keys', 'rotate', '1', '--grace', '5w']],
    [['pets', 'import', '-', '--format', 'xml']],
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
