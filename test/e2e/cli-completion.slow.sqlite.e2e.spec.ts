import { readFile } from 'node:fs/promises';
import { runBuilt } from './built-service.fixture.js';
import { openCommandLine, type CommandLine } from './command-line.fixture.js';
import { completionsIn, type CompletingShell } from './completing-shells.fixture.js';

const SHELLS: readonly CompletingShell[] = ['bash', 'zsh', 'fish'];

describe('completion', () => {
  let commandLine: CommandLine;
  let scripts: ReadonlyMap<CompletingShell, string>;
  beforeAll(async () => {
    commandLine = await openCommandLine();
    const written = SHELLS.map(async (shell) => {
      const { code, stdout, stderr } = await commandLine.run('completion', shell);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return [shell, await commandLine.file(`script.${shell}`, stdout)] as const;
    });
    scripts = new Map(await Promise.all(written));
    await commandLine.file('animals one.csv', '');
  });
  afterAll(() => commandLine.remove());

  describe.each(SHELLS)('in %s', (shell) => {
    const completed = (line: string) => completionsIn(shell, line, { script: scripts.get(shell) ?? '', folder: commandLine.folder });

    it.each([
      ['ke', ['keys']],
      ['--ver', ['--version']],
      ['help ke', ['keys']],
      ['keys re', ['remove-scope', 'revoke']],
      ['--json keys re', ['remove-scope', 'revoke']],
      ['db ', ['backup', 'help', 'migrate', 'transfer']],
      ['doctor --f', ['--full']],
      ['keys revoke --', ['--help', '--json', '--yes']],
      ['pets import animals.csv --', ['--batch', '--dry-run', '--format', '--help', '--json']],
      ['keys create --plan ', ['business', 'enterprise', 'free', 'pro']],
      ['keys create --name keys --plan e', ['enterprise']],
      ['keys set-plan 1 --per-day 7 f', ['free']],
      ['keys add-scope 1 o', ['orders', 'orders:all']],
      ['pets set-status 1 ', ['available', 'pending', 'sold']],
      ['orders list --status pl', ['placed']],
      ['completion ', ['bash', 'fish', 'zsh']],
    ])('is right for "adoption %s"', async (line, expected) => {
      expect(await completed(`adoption ${line}`)).toEqual(expected);
    });

    it.each(['nothing', 'keys nothing', 'keys show ', 'keys create --name ', 'orders list --status zz', 'pets set-status 1 sold a'])(
      'has nothing for "adoption %s"',
      async (line) => {
        expect(await completed(`adoption ${line}`)).toEqual([]);
      },
    );

    it('has the values of an option behind an equals sign', async () => {
      // Fish offers the whole word.
      expect((await completed('adoption keys create --plan=e')).map((word) => word.replace('--plan=', ''))).toEqual(['enterprise']);
    });

    it('has files where a command takes one', async () => {
      expect((await completed('adoption pets import ani')).map((word) => word.replaceAll('\\', ''))).toEqual(['animals one.csv']);
    });
  });

  it.each([
    [[], "missing required argument 'shell'"],
    [['tcsh'], 'Allowed choices are bash, zsh, fish'],
    [['bash', 'zsh'], 'too many arguments'],
  ])('is refused for %j', async (words, reason) => {
    const { code, stdout, stderr } = await commandLine.run('completion', ...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(reason);
  });

  it('tells how each shell takes it', async () => {
    const { stdout } = await commandLine.run('completion', '--help');
    for (const shell of SHELLS) expect(stdout).toMatch(new RegExp(`^ {2}${shell}: .*adoption completion ${shell}`, 'm'));
  });

  it.each(SHELLS)('is the same of the program that is built: %s', async (shell) => {
    const built = await runBuilt('cli', ['completion', shell], { cwd: commandLine.folder });
    expect(built).toEqual({ code: 0, stdout: await readFile(scripts.get(shell) ?? '', 'utf8'), stderr: '' });
  });
});
