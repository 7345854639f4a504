import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { linesOf, openCommandLine, type CommandLine } from './command-line.fixture.js';

const execute = promisify(execFile);
const BOLD = '\u001b[1m';

describe('the command line on a terminal', () => {
  let commandLine: CommandLine;
  beforeAll(async () => {
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
    await commandLine.run('keys', 'create', '--name', 'website', '--plan', 'pro', '--expires-in', '90d');
    await commandLine.run('keys', 'create', '--name', `Dr. \u202eevil\u001b[2K ${'long '.repeat(30)}`);
    await commandLine.addAnimals(2);
  });
  afterAll(() => commandLine.remove());

  const shown = async (...words: string[]) => {
    const { code, stdout, stderr } = await commandLine.runOnTerminal(...words);
    expect({ words, code }).toEqual({ words, code: 0 });
    return { lines: linesOf(stripVTControlCharacters(stdout)), stdout, stderr };
  };

  it('shows keys as a table with what they have used, no wider than the terminal', async () => {
    const { lines, stdout } = await shown('keys', 'list');
    expect(lines[0]).toMatch(/^id {2}name +owner +plan +scopes +minute +day +last use +expires +state$/);
    expect(lines[1]).toMatch(/^ 1 {2}website +- +pro +pets +0 of 300 +0 of 10000 +- +in 89 d +in use$/);
    expect(lines[2]).toMatch(/^ 2 {2}Dr\. \\u202eevil\\u001b\[2K.*… +- +free /);
    expect(lines.map(({ length }) => length)).toEqual(lines.map((line) => Math.min(line.length, 100)));
    expect(stdout.startsWith(`${BOLD}id `)).toBe(true);
  });

  it('shows one key by name and value', async () => {
    const { lines } = await shown('keys', 'show', '1');
    expect(lines).toEqual(
      expect.arrayContaining([
        'id:               1',
        'state:            in use',
        'limits:           300 a minute, 10000 a day',
        expect.stringMatching(/^expires: {10}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ \(in 89 d\)$/),
        expect.stringMatching(/^used this minute: 0 of 300, resets (?:in \d+ s|now)$/),
      ]),
    );
  });

  it('shows a new secret whole, once', async () => {
    const { lines } = await shown('keys', 'create', '--name', 'partner');
    expect(lines.at(-1)).toMatch(/^key, shown this once: adopt_\w{40,}$/);
    expect((await shown('keys', 'list')).lines.join('\n')).not.toMatch(/adopt_\w{40,}/);
  });

  it.each([
    [['keys', 'usage', '1'], /^banned: +no$/m],
    [['events', 'list'], /^position +at +stream +version +type +by +data\n +1 .* api-key-1 +1 +api-key-issued +\S+@\S+ +\{"plan":/],
    [['events', 'list', '--stream', 'none'], /^$/],
    [['events', 'verify'], /^events: +\d+\nstreams: +\d+\nproblems: +none$/],
    [['projections', 'status'], /^pets +2 +up to date +\d+ +1 +-$/m],
    [['orders', 'list'], /^There are no such orders\.$/],
    [['webhooks', 'list'], /^There are no such endpoints\.$/],
    [['pets', 'correct', '1', '--name', 'Mia'], /^name: +Mia\n.*^changed: +yes$/ms],
    [['doctor'], /^Configuration \(times in milliseconds\)\n(?: {2}.*\n)* {2}shutdown grace: +10000\n/m],
    [['doctor'], /^Database\n {2}exists: +yes\n {2}size: +[\d.]+ [KM]iB\n/m],
  ])('shows %j', async (words, expected) => {
    expect((await shown(...words)).lines.join('\n')).toMatch(expected);
  });

  it('exports animals as NDJSON all the same', async () => {
    expect((await shown('pets', 'export')).stdout).toMatch(/^\{"name":"[^\n]+\}\n\{"name":"[^\n]+\}\n$/);
  });

  it.each([
    [['keys', 'list', '--json']],
    [['keys', '--json', 'list']],
    [['--json', 'keys', 'list']],
    [['doctor', '--json']],
    [['events', 'list', '--json']],
  ])('gives JSON where it is asked for: %j', async (words) => {
    const [first = ''] = (await shown(...words)).lines;
    expect(() => JSON.parse(first) as unknown).not.toThrow();
  });

  it.each([
    [{}, true],
    [{ NO_COLOR: '1' }, false],
  ])('has colours on a real terminal with %j: %s', async (environment, expected) => {
    const command = `${process.execPath} ${resolve('dist/programs/cli.js')} keys list`;
    const env = { PATH: process.env['PATH'], TERM: 'xterm', ...environment };
    const { stdout } = await execute('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd: commandLine.folder,
      env,
    });
    expect(stdout).toMatch(/id {2}name/);
    expect(stdout.includes(BOLD)).toBe(expected);
  });
});
