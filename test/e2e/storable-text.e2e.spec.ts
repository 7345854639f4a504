import { RawConnection } from '../../libs/http/testing/raw-connection.js';
import { openCommandLine, type CommandLine } from './command-line.fixture.js';
import { startGraphqlService, type GraphqlAnswer, type GraphqlService } from './graphql.fixture.js';

const UNSTORABLE = ['\u0000', 'a\u0000b', '\ud83d', '\udc08b'];
const RULE = 'must be without U+0000 and lone surrogates, but holds U+';
const EVENTS = 'query($v: String) { events(stream: $v) { nodes { position } } }';

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

  const expectRefused = (answer: GraphqlAnswer<unknown>, name: string) =>
    expect(answer.errors).toMatchObject([
      { message: expect.stringContaining(`${name} ${RULE}`), extensions: { code: 'invalid_parameter' } },
    ]);

  it.each(UNSTORABLE)('is refused by name in a body and in a variable: %j', async (text) => {
    const answer = await service.client.post('/v1/pets', { name: text, categoryId: 'x' });
    expect(answer.json()).toMatchObject({ code: 'invalid_request', errors: [{ field: 'categoryId' }, { field: 'name' }], status: 400 });
    expectRefused(await service.ask(EVENTS, { v: text }), 'stream');
    const variables = encodeURIComponent(JSON.stringify({ v: text }));
    const target = `/graphql?query=${encodeURIComponent(EVENTS)}&variables=${variables}`;
    expectRefused((await service.client.get(target, { key: service.token })).json(), 'stream');
  });

  it.each([
    ['/v1/pets?limit=a%00', 'limit'],
    ['/v1/pets?name=a%00', 'name'],
    ['/v1/pets?cursor=a%00', 'cursor'],
    ['/v1/pets/1%00', 'petId'],
  ])('is refused by name in %s', async (target, field) => {
    expect((await service.client.get(target)).json()).toMatchObject({ code: 'invalid_parameter', errors: [{ field }], status: 400 });
  });

  it('is refused in a header, by Node itself', async () => {
    const connection = new RawConnection(Number(new URL(service.origin).port));
    connection.send(`GET /v1/pets HTTP/1.1\r\nHost: shop\r\nIf-None-Match: a\0\r\n\r\n`);
    expect(await connection.answer()).toMatchObject({ status: 400, body: expect.stringContaining('"invalid_request"') });
    connection.destroy();
  });

  it.each(['stream', 'type', 'after'])('is refused by name in the argument %s, by a literal in any form and by a default', async (name) => {
    for (const literal of ['"\\u0000"', '"a\\u{0}"', '"""\u0000"""', '"\u0000"']) {
      expectRefused(await service.ask(`{ events(${name}: ${literal}) { nodes { position } } }`), name);
      expectRefused(await service.ask(`query($v: String = ${literal}) { events(${name}: $v) { nodes { position } } }`), name);
    }
  });

  it('is refused by name in an ID and in the name of an operation', async () => {
    expectRefused(await service.ask('query($v: ID!) { pet(id: $v) { __typename } }', { v: '1\u0000' }), 'id');
    expectRefused(await service.ask('query($v: ID!) { pets(categoryId: $v) { __typename } }', { v: '1\u0000' }), 'categoryId');
    const body = { query: '{ petCounts { count } }', operationName: 'Q\u0000' };
    const answer = await service.client.post('/graphql', body, { key: service.token });
    expect(answer.json()).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(`operationName ${RULE}0000`) });
  });

  it.each([
    ['events list --stream a\0', '--stream'],
    ['events list --type \ud800', '--type'],
    ['keys create --name a\0', '--name'],
    ['pets correct 1 --name \udc08', '--name'],
    ['pets withdraw 1 --reason a\0', '--reason'],
    ['pets import - --batch a\0', '--batch'],
    ['projections rebuild pets\0', 'NAME'],
    ['db backup a\0', 'FILE'],
  ])('is refused by name on the command line: %j', async (words, name) => {
    const { code, stdout, stderr } = await commandLine.run(...words.split(' '));
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(`${name} ${RULE}`) });
  });

  it.each([
    ['names.ndjson', '{"name":"a\\u0000","categoryId":1}\n{"name":"\\ud800","categoryId":1}\n{"name":"Rex","categoryId":1}\n', 1],
    ['names.csv', 'name,categoryId\na\0,1\nRex,1\n', 2],
  ])('is refused in the file %s by its line, and the others are added', async (file, content, line) => {
    const { code, stdout, stderr } = await commandLine.run('pets', 'import', await commandLine.file(file, content));
    expect([code, stdout]).toEqual([1, expect.stringContaining('"added":1')]);
    expect(stderr).toContain(`line ${line}: name ${RULE}0000`);
  });

  it('is refused as a name of a batch that is too long for an index', async () => {
    const { code, stderr } = await commandLine.run('pets', 'import', '-', '--batch', 'x'.repeat(10_000));
    expect([code, stderr]).toEqual([2, expect.stringContaining('--batch must name the input in 1 to 255 characters')]);
  });
});
