import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { RawConnection } from '../../libs/http/testing/raw-connection.js';
import { openCommandLine, type CommandLine } from './command-line.fixture.js';
import { codesOf, startGraphqlService, type GraphqlAnswer, type GraphqlService } from './graphql.fixture.js';

const UNSTORABLE = ['\u0000', 'a\u0000b', '\ud83d', '\udc08b'];
const RULE = 'must be without U+0000 and lone surrogates, but holds U+';
const EVENTS = 'query($v: String) { events(stream: $v) { nodes { position } } }';

describe('text with U+0000 or a lone surrogate is refused by name', () => {
  let service: GraphqlService;
  beforeAll(async () => (service = await startGraphqlService()));
  afterAll(() => service.close());

  it.each(UNSTORABLE)('in a body: %j', async (text) => {
    const answer = await service.client.post('/v1/pets', { name: text, categoryId: 'x' });
    expect(answer.json()).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(`name ${RULE}`), status: 400 });
    expect(answer.text).toContain('categoryId must be');
  });

  it.each(['limit', 'status', 'cursor'])('in the query parameter %s', async (name) => {
    const answer = await service.client.get(`/v1/pets?${name}=a%00`);
    expect(answer.json()).toMatchObject({ code: 'invalid_parameter', message: `${name} ${RULE}0000.`, status: 400 });
  });

  it('in a path parameter', async () => {
    const answer = await service.client.get('/v1/pets/1%00');
    expect(answer.json()).toMatchObject({ code: 'invalid_parameter', message: `petId ${RULE}0000.`, status: 400 });
  });

  it('in a header, by Node itself', async () => {
    const { port } = new URL(service.origin);
    const connection = new RawConnection(Number(port));
    connection.send(`GET /v1/pets HTTP/1.1\r\nHost: shop\r\nIf-None-Match: a\0\r\n\r\n`);
    expect(await connection.answer()).toMatchObject({ status: 400, body: expect.stringContaining('"invalid_request"') });
    connection.destroy();
  });

  it.each(['stream', 'type', 'after'])('in the argument %s, by a literal in any form and by a default', async (name) => {
    for (const literal of ['"\\u0000"', '"a\\u{0}"', '"""\u0000"""', '"\u0000"']) {
      expectRefused(await service.ask(`{ events(${name}: ${literal}) { nodes { position } } }`), name);
      expectRefused(await service.ask(`query($v: String = ${literal}) { events(${name}: $v) { nodes { position } } }`), name);
    }
  });

  it.each(UNSTORABLE)('in an argument, by a variable: %j', async (v) => {
    expectRefused(await service.ask(EVENTS, { v }), 'stream');
    const target = `/graphql?query=${encodeURIComponent(EVENTS)}&variables=${encodeURIComponent(JSON.stringify({ v }))}`;
    expectRefused((await service.client.get(target, { key: service.token })).json(), 'stream');
  });

  it.each([
    ['pet', 'id'],
    ['pets', 'categoryId'],
  ])('in %s(%s:), an ID', async (field, name) => {
    const asked = await service.ask(`query($v: ID!) { ${field}(${name}: $v) { __typename } }`, { v: '1\u0000' });
    expectRefused(asked, name);
  });

  it('in operationName', async () => {
    const body = { query: '{ petCounts { count } }', operationName: 'Q\u0000' };
    const answer = await service.client.post('/graphql', body, { key: service.token });
    expect(answer.json()).toMatchObject({ code: 'invalid_request', message: expect.stringContaining(`operationName ${RULE}0000`) });
  });

  function expectRefused(answer: GraphqlAnswer<unknown>, name: string): void {
    expect(codesOf(answer)).toEqual(['invalid_parameter']);
    expect(answer.errors?.[0]?.message).toContain(`${name} ${RULE}`);
  }
});

describe('text that cannot be kept, on the command line', () => {
  let commandLine: CommandLine;
  beforeAll(async () => {
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
  });
  afterAll(() => commandLine.remove());

  it.each([
    [['events', 'list', '--stream', 'a\0'], '--stream'],
    [['events', 'list', '--type', '\ud800'], '--type'],
    [['keys', 'create', '--name', 'a\0'], '--name'],
    [['pets', 'correct', '1', '--name', '\udc08'], '--name'],
    [['pets', 'withdraw', '1', '--reason', 'a\0'], '--reason'],
    [['pets', 'import', '-', '--batch', 'a\0'], '--batch'],
    [['projections', 'rebuild', 'pets\0'], 'NAME'],
    [['db', 'backup', 'a\0'], 'FILE'],
  ])('is refused by name: %j', async (words, name) => {
    const { code, stdout, stderr } = await commandLine.run(...words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`${name} ${RULE}`);
  });

  it('is refused where bytes are not UTF-8', async () => {
    const command = `exec ${process.execPath} ${resolve('scripts/run-built.mjs')} cli events list --stream "$(printf 'caf\\351')"`;
    const ended = await new Promise((settle) =>
      execFile('sh', ['-c', command], { cwd: commandLine.folder }, (error, stdout, stderr) =>
        settle({ code: error?.code, stdout, stderr }),
      ),
    );
    expect(ended).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining('--stream must be text in UTF-8') });
  });

  it('is refused in a file, by its line, and the others are added', async () => {
    const lines = ['{"name":"a\\u0000","categoryId":1}', '{"name":"Rex","categoryId":1}', '{"name":"\\ud800","categoryId":1}'];
    const ndjson = await commandLine.run('pets', 'import', await commandLine.file('names.ndjson', `${lines.join('\n')}\n`));
    expect(ndjson).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"added":1'),
      stderr: expect.stringContaining(`line 1: name ${RULE}0000`),
    });
    expect(ndjson.stderr).toContain(`line 3: name ${RULE}D800`);
    const csv = await commandLine.run('pets', 'import', await commandLine.file('names.csv', 'name,categoryId\na\0,1\nRex,1\n'));
    expect(csv).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('"added":1'),
      stderr: expect.stringContaining(`line 2: name ${RULE}0000`),
    });
  });

  it('is refused as a name of a batch that is too long for an index', async () => {
    const { code, stderr } = await commandLine.run('pets', 'import', '-', '--batch', randomBytes(8_000).toString('base64'));
    expect(code).toBe(2);
    expect(stderr).toContain('--batch must name the input in 1 to 255 characters');
  });
});
