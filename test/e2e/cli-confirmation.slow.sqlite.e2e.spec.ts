import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { linesOf, openCommandLine, type CommandLine } from './command-line.fixture.js';

const PROGRAM = `${process.execPath} ${resolve('dist/programs/cli.js')}`;
const CONTROL_C = '\u0003';
const CONTROL_D = '\u0004';

describe('a command that nobody can take back', () => {
  let commandLine: CommandLine;
  beforeEach(async () => {
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
    await commandLine.run('keys', 'create', '--name', 'Shop \u202e\u001b[2K');
    await commandLine.addAnimals(1);
  });
  afterEach(() => commandLine.remove());

  /** Runs a command of the shell on a terminal of its own and types the answer once it is asked. Whatever it printed, in the order of time. */
  const onTerminal = async (words: string, answer?: string): Promise<{ code: unknown; shown: string }> => {
    const env = { PATH: process.env['PATH'] ?? '', TERM: 'xterm' };
    const running = spawn('script', ['--quiet', '--return', '--command', `${PROGRAM} ${words}`, '/dev/null'], {
      cwd: commandLine.folder,
      env,
    });
    let shown = '';
    let isAnswered = false;
    running.stdout.on('data', (chunk: Buffer) => {
      shown += chunk.toString();
      if (isAnswered || answer === undefined || !shown.includes('[y/N] ')) return;
      isAnswered = true;
      running.stdin.write(answer);
    });
    const [code] = (await once(running, 'close')) as [number];
    return { code, shown: stripVTControlCharacters(shown).replaceAll('\r', '') };
  };
  const isRevoked = async () => !(await commandLine.run('keys', 'show', '1')).stdout.includes('"revokedAt":null');
  const isWithdrawn = async () => (await commandLine.run('pets', 'export')).stdout === '';

  it.each(['y\n', 'YES\n'])('is done after the answer %j', async (answer) => {
    const revoked = await onTerminal('keys revoke 1', answer);
    expect(revoked).toMatchObject({ code: 0, shown: expect.stringMatching(/\nstate: +revoked /) });
    expect(linesOf(revoked.shown)[0]).toMatch(/^Revoke API key 1 \(Shop \\u202e\\u001b\[2K\) permanently\? \[y\/N\] /);
    const withdrawn = await onTerminal('pets withdraw 1 --reason gone', answer);
    expect(withdrawn).toMatchObject({ code: 0, shown: expect.stringMatching(/\nchanged: +yes\n/) });
    expect(withdrawn.shown).toContain('Withdraw the animal 1 (animal 1) permanently, and cancel its open order if there is one? [y/N] ');
    expect([await isRevoked(), await isWithdrawn()]).toEqual([true, true]);
  });

  it.each([
    ['n', 'n\n'],
    ['an empty line', '\n'],
    ['yesterday', 'yesterday\n'],
    ['Ctrl-C', CONTROL_C],
    ['Ctrl-D', CONTROL_D],
  ])('changes nothing after %s, says so and ends with 1', async (_, answer) => {
    for (const words of ['keys revoke 1', 'pets withdraw 1 --reason gone']) {
      const { code, shown } = await onTerminal(words, answer);
      expect({ code, last: linesOf(shown).at(-1) }).toEqual({ code: 1, last: 'Nothing was changed.' });
    }
    expect([await isRevoked(), await isWithdrawn()]).toEqual([false, false]);
  });

  it.each(['--yes', '-y'])('is done unasked on a terminal with %s', async (option) => {
    for (const words of ['keys revoke 1', 'pets withdraw 1 --reason gone']) {
      const { code, shown } = await onTerminal(`${words} ${option}`);
      expect({ code, isAsked: shown.includes('[y/N]') }).toEqual({ code: 0, isAsked: false });
    }
    expect([await isRevoked(), await isWithdrawn()]).toEqual([true, true]);
  });

  it.each(['keys revoke 1 | cat', 'keys revoke 1 </dev/null', 'keys revoke 1 --yes | cat'])('is done unasked as %s', async (words) => {
    expect((await onTerminal(words)).shown).not.toContain('[y/N]');
    expect(await isRevoked()).toBe(true);
  });

  it.each([
    ['keys revoke 9', 1, 'There is no API key 9'],
    ['pets withdraw 9 --reason gone', 1, 'There is no animal with the id 9'],
    ['keys revoke nine', 2, 'ID must be'],
  ])('is refused unasked: %s', async (words, code, reason) => {
    const refused = await onTerminal(words);
    expect(refused).toEqual({ code, shown: expect.stringContaining(reason) });
    expect(refused.shown).not.toContain('[y/N]');
  });

  it('is not asked for where it was done before', async () => {
    await commandLine.run('keys', 'revoke', '1');
    const { code, shown } = await onTerminal('keys revoke 1');
    expect(code).toBe(0);
    expect(linesOf(shown)).toContain('Nothing was changed: API key 1 is revoked already.');
    expect(shown).not.toContain('[y/N]');
  });
});
