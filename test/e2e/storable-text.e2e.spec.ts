import { openCommandLine, type CommandLine } from './command-line.fixture.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';

const RULE = 'must be without U+0000 and lone surrogates';

describe('text that no database can keep', () => {
  let service: GraphqlService;
  let commandLine: CommandLine;
  beforeAll(async () => {
    service = await startGraphqlService();
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
  });
  afterAll(async () => {
    await service.close();
    await commandLine.remove();
  });

  it('is refused by name in an argument, by a literal in any form and by a default', async () => {
    const refusal = { message: expect.stringContaining(`stream ${RULE}`), extensions: { code: 'invalid_parameter' } };
    for (const literal of ['"\\u0000"', '"a\\u{0}"', '"""\u0000"""', '"\u0000"']) {
      const operations = [
        `{ events(stream: ${literal}) { totalCount } }`,
        `query($v: String = ${literal}) { events(stream: $v) { totalCount } }`,
      ];
      for (const operation of operations) expect((await service.ask(operation)).errors).toMatchObject([refusal]);
    }
  });

  it.each([
    ['names.ndjson', '{"name":"a\\u0000","categoryId":1}\n{"name":"\\ud800","categoryId":1}\n{"name":"Rex","categoryId":1}\n', 1],
    ['names.csv', 'name,categoryId\na\0,1\nRex,1\n', 2],
  ])('is refused in the file %s by its line, and the others are added', async (file, content, line) => {
    const { code, stdout, stderr } = await commandLine.run('pets', 'import', await commandLine.file(file, content));
    expect([code, stdout]).toEqual([1, expect.stringContaining('"added":1')]);
    expect(stderr).toContain(`line ${line}: name ${RULE}`);
  });
});
