import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { linesOf, openCommandLine, type CommandLine } from './command-line.fixture.js';

const CLI = `${process.execPath} ${resolve('dist/programs/cli.js')}`;
const ADDED = 3_000;
const CONTROL_C = '\u0003';
const CONTROL_D = '\u0004';
const execute = promisify(execFile);

describe('the built command line', () => {
  let commandLine: CommandLine;
  beforeAll(async () => {
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
    await commandLine.addAnimals(ADDED);
    for (let count = 0; count < 5; count += 1) await commandLine.run('keys', 'create', '--name', 'Shop \u202e\u001b[2K');
  });
  afterAll(() => commandLine.remove());

  const shell = (command: string) => execute('bash', ['-c', command], { cwd: commandLine.folder });
  /** Runs a command of the shell on a terminal of its own and types the answer once it is asked. Whatever it printed, in the order of time. */
  const onTerminal = async (words: string, answer?: string): Promise<{ code: unknown; shown: string }> => {
    const env = { PATH: process.env['PATH'] ?? '', TERM: 'xterm' };
    const running = spawn('script', ['--quiet', '--return', '--command', `${CLI} ${words}`, '/dev/null'], { cwd: commandLine.folder, env });
    let shown = '';
    let isAnswered = false;
    running.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
      if (isAnswered || answer === undefined || !shown.includes('[y/N] ')) return;
      isAnswered = true;
      running.stdin.write(answer);
    });
    const [code] = (await once(running, 'close')) as [number];
    return { code, shown };
  };
  const isRevoked = async (id: number) => !(await commandLine.run('keys', 'show', `${id}`)).stdout.includes('"revokedAt":null');
  const countAnimals = async () => linesOf((await commandLine.run('pets', 'export')).stdout).length;

  it('refuses an argument that is not UTF-8', async () => {
    const failure = { code: 2, stdout: '', stderr: expect.stringContaining('must be text in UTF-8') };
    await expect(shell(`${CLI} events list --stream "$(printf 'caf\\351')"`)).rejects.toMatchObject(failure);
  });

  it('ends quietly when its reader goes away, and says so when its result cannot be written', async () => {
    const { stdout, stderr } = await shell(`set -o pipefail; ${CLI} events list --limit ${ADDED} | head -n 1`);
    expect([stdout, stderr]).toEqual([expect.stringMatching(/^\{"position":1,.*\}\n$/), '']);
    const failure = { code: 1, stderr: expect.stringMatching(/^The command failed: .*ENOSPC[^\n]*\n$/) };
    for (const words of ['keys list', '--help']) await expect(shell(`${CLI} ${words} > /dev/full`)).rejects.toMatchObject(failure);
  });

  it.each([
    ['keys revoke 1', 'n\n', 1],
    ['keys revoke 1', CONTROL_C, 130],
    ['keys revoke 1', 'YES\n', 0],
    ['pets withdraw 1 --reason gone', '\n', 1],
    ['pets withdraw 1 --reason gone', CONTROL_D, 1],
    ['pets withdraw 1 --reason gone', 'y\n', 0],
  ])('asks on a terminal before what nobody can take back: %s, and after the answer %j ends with %d', async (words, answer, expected) => {
    const { code, shown } = await onTerminal(words, answer);
    const [first = '', ...others] = stripVTControlCharacters(shown).replaceAll('\r', '').split('\n');
    const question = words.startsWith('keys') ? /^Revoke API key 1 \(Shop \\u202e\\u001b\[2K\) permanently\? \[y\/N\] / : /\[y\/N\] /;
    expect(first).toMatch(question);
    const done = words.startsWith('keys') ? Number(await isRevoked(1)) : ADDED - (await countAnimals());
    const isSaid = others.join('\n').includes('Nothing was changed.');
    expect([code, done, isSaid]).toEqual([expected, Number(expected === 0), expected === 1]);
  });

  it.each([
    ['keys revoke 2 --yes', 2],
    ['keys revoke 4 </dev/null', 4],
    ['pets withdraw 9999 --reason gone', undefined],
  ])('asks for nothing where it is told not to, cannot, or nothing is to be done: %s', async (words, revoked) => {
    expect((await onTerminal(words)).shown).not.toContain('[y/N]');
    if (revoked !== undefined) expect(await isRevoked(revoked)).toBe(true);
  });
});
