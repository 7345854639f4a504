import { once } from 'node:events';
import { rowsOf } from '../databases/test-database.fixture.js';
import type { Finished } from './built-service.fixture.js';
import { animals, linesOf, openCommandLine, said, type CommandLine } from './command-line.fixture.js';

const SPRING = ['--batch', 'spring'];

/** A summary without the time it took. */
function summaryOf({ stdout }: Finished): { added: number; skipped: number; rejected: number } {
  const { added, skipped, rejected } = JSON.parse(stdout) as { added: number; skipped: number; rejected: number };
  return { added, skipped, rejected };
}

describe('pets import', () => {
  let commandLine: CommandLine;
  beforeEach(async () => {
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
  });
  afterEach(() => commandLine.remove());

  const exported = async (...options: string[]) => linesOf((await commandLine.run('pets', 'export', ...options)).stdout);
  const importFile = async (name: string, content: string | Buffer, ...options: string[]) =>
    commandLine.run('pets', 'import', await commandLine.file(name, content), ...options);
  const importInput = (input: string, ...options: string[]) => commandLine.runOn(input, 'pets', 'import', '-', ...options);

  it('adds what the rules of POST allow and names every refused line of NDJSON by its physical number', async () => {
    const lines = [
      '{"name":" Rex ","categoryId":9223372036854775807}',
      '',
      '{"name":"","categoryId":1}\r',
      '{"id":3,"name":"x","categoryId":1.5}',
      'not JSON',
      '{"name":"Mia","categoryId":-9223372036854775808,"status":"sold"}\r',
      `{"name":"${'x'.repeat(1_048_576)}","categoryId":1}`,
      '{"name":"\\ud83d\\udc08\\n","categoryId":0}',
    ];
    const notUtf8 = Buffer.concat([Buffer.from(`\uFEFF${lines.join('\n')}\n`), Buffer.from([0x22, 0xff, 0x22])]);
    const done = await importFile('animals.ndjson', notUtf8);

    expect(done.code).toBe(1);
    expect(done.stdout).toMatch(/^\{"added":3,"skipped":0,"rejected":5,"seconds":\d+(?:\.\d+)?\}\n$/);
    expect(linesOf(done.stderr)).toEqual([
      expect.stringMatching(/^line 3: name must be/),
      expect.stringMatching(/^line 4: categoryId must be.*"id" is not a field of a new animal/),
      expect.stringMatching(/^line 5: Invalid JSON/),
      'line 7: longer than 1 MiB',
      'line 9: not valid UTF-8',
    ]);
    const added = await exported('--with-ids');
    expect(added).toEqual([
      '{"id":1,"name":" Rex ","categoryId":9223372036854775807}',
      '{"id":2,"name":"Mia","categoryId":-9223372036854775808,"status":"sold"}',
      '{"id":3,"name":"\u{1f408}\\n","categoryId":0}',
    ]);
    // What export writes without ids is taken, and CSV by its header.
    const { stdout } = await commandLine.run('pets', 'export');
    expect(summaryOf(await importInput(stdout))).toEqual({ added: 3, skipped: 0, rejected: 0 });
    expect((await commandLine.run('pets', 'export')).stdout).toBe(stdout.repeat(2));
    const csv = await importFile('animals.CSV', 'status,name,categoryId\r\n,"two\r\nlines",1\r\nlost,Rex,2\r\n');
    expect(csv).toMatchObject({ code: 1, stderr: expect.stringMatching(/^line 4: status must be/) });
    expect((await exported()).at(-1)).toBe('{"name":"two\\r\\nlines","categoryId":1}');
  });

  it.each<[what: string, input: string, options: string[], code: number]>([
    ['lines that are refused', `${animals(2)}bad\n`, [], 1],
    ['what a run before has added', animals(5), SPRING, 0],
    ['another input under the name of a batch', animals(3), SPRING, 0],
  ])('tells in a dry run what it would tell, and writes nothing: %s', async (_, input, options, code) => {
    await importInput(animals(2), ...SPRING);
    /** What a run writes: its events, and how far its batch has come. */
    const written = async () => [
      (await commandLine.run('events', 'list')).stdout,
      await rowsOf(commandLine.backend['DATABASE_URL'] ?? '', `SELECT * FROM "import_rows"`),
    ];
    const told = ({ stdout, ...outcome }: Finished) => ({ ...outcome, stdout: stdout.replace(/"seconds":[\d.]+/, '"seconds":0') });
    const before = await written();
    const dry = told(await importInput(input, ...options, '--dry-run'));
    expect(await written()).toEqual(before);
    const real = told(await importInput(input, ...options));
    expect(real.code).toBe(code);
    expect(dry).toEqual({ ...real, stdout: real.stdout.replace(/\}\n$/, ',"dryRun":true}\n') });
  });

  it('knows a file by its content and standard input by its batch: equal lines in it are animals of their own', async () => {
    const content = '{"name":"Rex","categoryId":1}\nbad\n{"name":"Rex","categoryId":1}\n';
    const first = await importFile('first.ndjson', content);
    expect(summaryOf(first)).toEqual({ added: 2, skipped: 0, rejected: 1 });
    const again = await importFile('second.ndjson', content);
    expect(summaryOf(again)).toEqual({ added: 0, skipped: 2, rejected: 1 });
    expect(again.stderr).toBe(`${first.stderr}Nothing was changed: an earlier run has added everything.\n`);
    for (const [count, options, added] of [
      [2, SPRING, 2],
      [2, SPRING, 0],
      [3, SPRING, 1],
      [2, [], 2],
      [2, [], 2],
    ] as const) {
      expect(summaryOf(await importInput(animals(count), ...options))).toMatchObject({ added, skipped: count - added });
    }
    expect(summaryOf(await importInput(animals(3).replace('animal 1', 'another'), ...SPRING))).toMatchObject({ added: 1, skipped: 2 });
  });

  it('adds of a corrected file only what is missing, wherever it stands', async () => {
    const rex = '{"name":"Rex","categoryId":1}\n';
    expect(summaryOf(await importFile('first.ndjson', `${rex}bad\n${rex}`))).toEqual({ added: 2, skipped: 0, rejected: 1 });
    const corrected = `{"name":"Max","categoryId":1}\n{ "categoryId":1, "name":"Rex" }\n${rex}${rex}`;
    expect(summaryOf(await importFile('first.ndjson', corrected))).toEqual({ added: 2, skipped: 2, rejected: 0 });
    const csv = await commandLine.file('first.csv', 'name,categoryId\nRex,1\nRex,1\n');
    expect(summaryOf(await commandLine.run('pets', 'import', csv, '--batch', 'monday'))).toMatchObject({ added: 2 });
    expect(summaryOf(await commandLine.run('pets', 'import', csv, '--batch', 'monday'))).toMatchObject({ added: 0, skipped: 2 });
  });

  it('goes on after kill -9 with exactly what is missing', async () => {
    const input = `${animals(2_000)}bad\n${animals(2_000)}`;
    const killed = commandLine.start('pets', 'import', '-', ...SPRING);
    const ended = once(killed, 'close');
    killed.stdin.on('error', () => undefined);
    // The input does not end, so the import is at work when it is killed.
    killed.stdin.write(input.slice(0, -1));
    await said(killed.stderr, /^line 2001:/m);
    killed.kill('SIGKILL');
    await ended;

    const { added, skipped, rejected } = summaryOf(await importInput(input, ...SPRING));
    expect(skipped).toBeGreaterThan(0);
    expect(added).toBeGreaterThan(0);
    expect({ total: added + skipped, rejected }).toEqual({ total: 4_000, rejected: 1 });
    expect(`${(await exported()).join('\n')}\n`).toBe(animals(2_000).repeat(2));
  });

  it('adds nothing twice when one file is imported twice at the same time', async () => {
    const file = await commandLine.file('animals.ndjson', animals(2_000));
    for (const { code, stderr } of await Promise.all([1, 2].map(() => commandLine.run('pets', 'import', file)))) {
      if (code !== 0) expect(stderr).toMatch(/^Another import of the same batch is at work[^\n]*\n$/);
    }
    const { added, skipped } = summaryOf(await commandLine.run('pets', 'import', file));
    expect(added + skipped).toBe(2_000);
    expect(`${(await exported()).join('\n')}\n`).toBe(animals(2_000));
  });
});
