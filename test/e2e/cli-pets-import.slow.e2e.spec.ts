import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { rowsOf } from '../databases/test-database.fixture.js';
import { startBuiltService, type Finished } from './built-service.fixture.js';
import { animals, linesOf, openCommandLine, said, type CommandLine } from './command-line.fixture.js';
import { fetchDocumented } from './documented-traffic.fixture.js';

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

  it('adds what the rules of POST allow and names every refused line of NDJSON by its physical number', async () => {
    const lines = [
      '{"name":" Rex ","categoryId":9223372036854775807}',
      '',
      '{"name":"","categoryId":1}\r',
      '{"id":3,"name":"x","categoryId":1.5}',
      '{"name":"x","name":"y","categoryId":1}',
      '{"name":"x","categoryId":1,"status":null}',
      'not JSON',
      '{"name":"Mia","categoryId":-9223372036854775808,"status":"sold"}\r',
      `{"name":"${'x'.repeat(1_048_576)}","categoryId":1}`,
      '{"name":"Tom","categoryId":0}',
    ];
    const notUtf8 = Buffer.concat([Buffer.from(`\uFEFF${lines.join('\n')}\n`), Buffer.from([0x22, 0xff, 0x22])]);
    const done = await commandLine.run('pets', 'import', await commandLine.file('animals.ndjson', notUtf8));

    expect(done.code).toBe(1);
    expect(done.stdout).toMatch(/^\{"added":3,"skipped":0,"rejected":7,"seconds":\d+(?:\.\d+)?\}\n$/);
    expect(linesOf(done.stderr)).toEqual([
      expect.stringMatching(/^line 3: name must be/),
      expect.stringMatching(/^line 4: categoryId must be.*"id" is not a field of a new animal/),
      expect.stringMatching(/^line 5: .*"name" is given twice/),
      expect.stringMatching(/^line 6: status must be/),
      expect.stringMatching(/^line 7: Invalid JSON/),
      'line 9: longer than 1 MiB',
      'line 11: not valid UTF-8',
    ]);
    expect(await exported('--with-ids')).toEqual([
      '{"id":1,"name":" Rex ","categoryId":9223372036854775807}',
      '{"id":2,"name":"Mia","categoryId":-9223372036854775808,"status":"sold"}',
      '{"id":3,"name":"Tom","categoryId":0}',
    ]);
  });

  it('reads CSV by its header and names a refused record by the line on which it begins', async () => {
    const content = 'status,name,categoryId\r\n,"two\r\nlines",1\r\nlost,Rex,2\r\nsold,"x",3.0\r\nsold,Mia,4\r\n';
    const done = await commandLine.run('pets', 'import', await commandLine.file('animals.CSV', content));
    expect(summaryOf(done)).toEqual({ added: 2, skipped: 0, rejected: 2 });
    expect(linesOf(done.stderr)).toEqual([
      expect.stringMatching(/^line 4: status must be/),
      expect.stringMatching(/^line 5: categoryId must be/),
    ]);
    expect(await exported()).toEqual(['{"name":"two\\r\\nlines","categoryId":1}', '{"name":"Mia","categoryId":4,"status":"sold"}']);
  });

  describe('in a dry run', () => {
    const content = 'name,categoryId\nRex,1\n,2\nRex,1\nMia,x\n';
    /** What a run writes: its events, and how far its batch has come. */
    const written = async () => [
      (await commandLine.run('events', 'list')).stdout,
      await rowsOf(commandLine.backend['DATABASE_URL'] ?? '', `SELECT * FROM "import_progress"`),
    ];
    /** The same run, first dry and then not; both without the time they took. */
    const dryAndReal = async (importing: (...options: string[]) => Promise<Finished>) => {
      const before = await written();
      const dry = await importing('--dry-run');
      expect(await written()).toEqual(before);
      const real = await importing();
      return [dry, real].map(({ stdout, ...outcome }) => ({ ...outcome, stdout: stdout.replace(/"seconds":[\d.]+/, '"seconds":0') }));
    };

    it('tells what the run would tell, and writes nothing', async () => {
      const file = await commandLine.file('animals.csv', content);
      const [dry, real] = await dryAndReal((...options) => commandLine.run('pets', 'import', file, ...options));
      expect(real).toMatchObject({ code: 1, stdout: '{"added":2,"skipped":0,"rejected":2,"seconds":0}\n' });
      expect(dry).toEqual({ ...real, stdout: '{"added":2,"skipped":0,"rejected":2,"seconds":0,"dryRun":true}\n' });
    });

    it('knows what an earlier run has added', async () => {
      const importing =
        (input: string) =>
        (...options: string[]) =>
          commandLine.runOn(input, 'pets', 'import', '-', '--batch', 'spring', ...options);
      await importing(animals(2))();
      const [dry, real] = await dryAndReal(importing(animals(5)));
      expect(real?.stdout).toBe('{"added":3,"skipped":2,"rejected":0,"seconds":0}\n');
      expect(dry).toEqual({ ...real, stdout: '{"added":3,"skipped":2,"rejected":0,"seconds":0,"dryRun":true}\n' });
    });

    it.each([
      ['another input under the name of a batch', animals(1), ['--batch', 'spring']],
      ['a CSV header that is not right', 'id,name\n1,Rex\n', ['--format', 'csv']],
    ])('refuses %s', async (_, input, options) => {
      await commandLine.runOn(animals(2), 'pets', 'import', '-', '--batch', 'spring');
      const [dry, real] = await dryAndReal((...more) => commandLine.runOn(input, 'pets', 'import', '-', ...options, ...more));
      expect(real).toMatchObject({ code: 1, stdout: '' });
      expect(dry).toEqual(real);
    });

    it('says on a terminal that nothing was added', async () => {
      const file = await commandLine.file('animals.csv', content);
      const { stdout } = await commandLine.runOnTerminal('pets', 'import', file, '--dry-run');
      expect(stripVTControlCharacters(stdout)).toMatch(/^to be added, as this was a dry run: 2\nadded by an earlier run: +0\n/);
    });
  });

  it('refuses a whole CSV file for its header', async () => {
    const done = await commandLine.runOn('id,name,categoryId\n1,Rex,2\n', 'pets', 'import', '-', '--format', 'csv');
    expect(done).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^The CSV header is invalid: "id" is not a column[^\n]*\n$/),
    });
    expect(await exported()).toEqual([]);
  });

  it('knows a file by its content: it is added once, and equal lines in it are animals of their own', async () => {
    const content = '{"name":"Rex","categoryId":1}\nbad\n{"name":"Rex","categoryId":1}\n';
    const first = await commandLine.run('pets', 'import', await commandLine.file('first.ndjson', content));
    expect(summaryOf(first)).toEqual({ added: 2, skipped: 0, rejected: 1 });
    const again = await commandLine.run('pets', 'import', await commandLine.file('second.ndjson', content));
    expect(summaryOf(again)).toEqual({ added: 0, skipped: 2, rejected: 1 });
    expect({ code: again.code, stderr: again.stderr }).toEqual({
      code: 1,
      stderr: `${first.stderr}Nothing was changed: an earlier run has added everything.\n`,
    });
    expect(await exported()).toHaveLength(2);
    expect(summaryOf(await commandLine.run('pets', 'import', await commandLine.file('third.ndjson', `${content}\n`)))).toMatchObject({
      added: 2,
    });
  });

  it('knows standard input by its batch, and without one adds every line', async () => {
    const input = animals(2);
    expect(summaryOf(await commandLine.runOn(input, 'pets', 'import', '-', '--batch', 'spring'))).toMatchObject({ added: 2 });
    expect(summaryOf(await commandLine.runOn(input, 'pets', 'import', '-', '--batch', 'spring'))).toMatchObject({
      added: 0,
      skipped: 2,
    });
    expect(summaryOf(await commandLine.runOn(animals(3), 'pets', 'import', '-', '--batch', 'spring'))).toMatchObject({
      added: 1,
    });
    expect(summaryOf(await commandLine.runOn(input, 'pets', 'import', '-'))).toMatchObject({ added: 2 });
    expect(summaryOf(await commandLine.runOn(input, 'pets', 'import', '-'))).toMatchObject({ added: 2 });
  });

  it.each([
    ['another', '{"name":"another","categoryId":1}\n{"name":"animal 2","categoryId":1}\n'],
    ['a shorter', animals(1)],
  ])('refuses %s input under the name of a batch', async (_, other) => {
    await commandLine.runOn(animals(2), 'pets', 'import', '-', '--batch', 'spring');
    const done = await commandLine.runOn(other, 'pets', 'import', '-', '--batch', 'spring');
    expect(done).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('not the input that the batch began with') });
    expect(await exported()).toHaveLength(2);
  });

  it('goes on after kill -9 with exactly what is missing', async () => {
    const input = `${animals(4_000)}bad\n${animals(4_000)}`;
    const killed = commandLine.start('pets', 'import', '-', '--batch', 'spring');
    const ended = once(killed, 'close');
    killed.stdin.on('error', () => undefined);
    // The input does not end, so the import is at work when it is killed.
    killed.stdin.write(input.slice(0, -1));
    await said(killed.stderr, /^line 4001:/m);
    killed.kill('SIGKILL');
    await ended;

    const done = await commandLine.runOn(input, 'pets', 'import', '-', '--batch', 'spring');
    const { added, skipped, rejected } = summaryOf(done);
    expect(skipped).toBeGreaterThan(0);
    expect(added).toBeGreaterThan(0);
    expect({ total: added + skipped, rejected }).toEqual({ total: 8_000, rejected: 1 });
    expect(`${(await exported()).join('\n')}\n`).toBe(animals(4_000).repeat(2));
  });

  it('adds nothing twice when one file is imported twice at the same time', async () => {
    const file = await commandLine.file('animals.ndjson', animals(5_000));
    for (const { code, stderr } of await Promise.all([1, 2].map(() => commandLine.run('pets', 'import', file)))) {
      if (code !== 0) expect(stderr).toMatch(/^Another import of the same batch is at work[^\n]*\n$/);
    }
    const { added, skipped } = summaryOf(await commandLine.run('pets', 'import', file));
    expect(added + skipped).toBe(5_000);
    expect(`${(await exported()).join('\n')}\n`).toBe(animals(5_000));
  });

  it('lets a service on the same file go on adding', async () => {
    const service = await startBuiltService(commandLine.folder);
    try {
      const importing = commandLine.runOn(animals(20_000), 'pets', 'import', '-');
      let ended = false;
      const hasEnded = () => ended;
      void importing.finally(() => (ended = true));
      const headers = { authorization: `Bearer ${service.demoKey ?? ''}`, 'content-type': 'application/json' };
      const statuses: number[] = [];
      while (statuses.length < 50 && !hasEnded()) {
        const answer = await fetchDocumented(`${service.origin}/v1/pets`, {
          method: 'POST',
          headers,
          body: '{"name":"posted","categoryId":1}',
        });
        statuses.push(answer.status);
        await answer.arrayBuffer();
      }
      expect(summaryOf(await importing)).toEqual({ added: 20_000, skipped: 0, rejected: 0 });
      expect(new Set(statuses)).toEqual(new Set([201]));
      expect(await exported()).toHaveLength(20_000 + statuses.length);
    } finally {
      await service.stop('SIGKILL');
    }
  });

  it('takes what pets export writes, and refuses ids by name', async () => {
    const input = '{"categoryId":9007199254740993,"name":"\\ud83d\\udc08\\n"}\n{"name":"b","categoryId":-1,"status":"pending"}';
    await commandLine.runOn(input, 'pets', 'import', '-');
    const { stdout } = await commandLine.run('pets', 'export');
    const other = await openCommandLine();
    try {
      await other.run('db', 'migrate');
      expect(summaryOf(await other.runOn(stdout, 'pets', 'import', '-'))).toEqual({ added: 2, skipped: 0, rejected: 0 });
      expect((await other.run('pets', 'export')).stdout).toBe(stdout);
      const withIds = await commandLine.run('pets', 'export', '--with-ids');
      const refused = await other.runOn(withIds.stdout, 'pets', 'import', '-');
      expect(summaryOf(refused)).toEqual({ added: 0, skipped: 0, rejected: 2 });
      expect(refused.stderr).toMatch(/^line 1: "id" is not a field of a new animal/);
    } finally {
      await other.remove();
    }
  });
});
