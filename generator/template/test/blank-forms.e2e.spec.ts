import { openCommandLine, type CommandLine } from '../../../test/e2e/command-line.fixture.js';
import { startGraphqlService, type GraphqlService } from '../../../test/e2e/graphql.fixture.js';
import { repeatWithoutReads } from '../../../test/e2e/repeated-request.fixture.js';
import { UNLIMITED } from '../../../test/e2e/service.fixture.js';

const PATH = '/v1/blank-forms';

describe('the blank forms of a service', () => {
  let service: GraphqlService;
  let key: string;
  beforeAll(async () => {
    service = await startGraphqlService();
    key = (await service.issueKey({ ...UNLIMITED, scopes: ['blank-forms'] })).token;
    for (const name of ['First', 'Second', 'Third']) {
      const { status, text } = await add(name);
      if (status !== 201) throw new Error(`${name} was not added: ${text}`);
    }
  });
  afterAll(() => service.close());

  const add = (name: string, headers = {}) => service.client.post(PATH, { name }, { key, headers });
  const get = (target: string, headers = {}) => service.client.get(target, { key, headers });

  it('are added with a location', async () => {
    const answer = await add('Fourth');
    const { id } = answer.json<{ id: number }>();
    expect(id).toBeGreaterThan(3);
    expect(answer).toMatchObject({ status: 201, text: `{"id":${id},"name":"Fourth"}`, headers: { location: `${PATH}/${id}` } });
    expect((await get(`${PATH}/${id}`)).text).toBe(answer.text);
  });

  it('are added once for one idempotency key', async () => {
    const { first, again } = await repeatWithoutReads(service, () => add('Fifth', { 'idempotency-key': 'fifth' }));
    expect(again).toMatchObject({ status: 201, text: first.text, headers: { 'idempotency-replayed': 'true' } });
    expect((await add('Sixth', { 'idempotency-key': 'fifth' })).json()).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
  });

  it('are listed in pages that meet each one once', async () => {
    const { id: newest } = (await add('Eighth')).json<{ id: number }>();
    const ids: number[] = [];
    for (let target: string | undefined = `${PATH}?limit=2`; target !== undefined;) {
      const answer = await get(target);
      ids.push(...answer.json<{ id: number }[]>().map(({ id }) => id));
      target = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link ?? ''))?.[1];
    }
    expect(ids).toEqual(Array.from({ length: newest }, (_, index) => index + 1));
  });

  it('are not sent again while they are unchanged', async () => {
    const before = await get(PATH);
    expect((await get(PATH, { 'if-none-match': before.headers.etag })).status).toBe(304);
    await add('Seventh');
    expect((await get(PATH, { 'if-none-match': before.headers.etag })).status).toBe(200);
  });

  it('are read over GraphQL', async () => {
    const { data } = await service.ask('{ blankForm(id: 2) { id name } blankForms(first: 2) { nodes { id } pageInfo { hasNextPage } } }');
    expect(data).toEqual({
      blankForm: { id: '2', name: 'Second' },
      blankForms: { nodes: [{ id: '1' }, { id: '2' }], pageInfo: { hasNextPage: true } },
    });
    expect((await service.ask('{ blankForm(id: 999) { name } }')).data).toEqual({ blankForm: null });
  });
});

describe('the blank forms on the command line', () => {
  let commandLine: CommandLine;
  beforeAll(async () => {
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
  });
  afterAll(() => commandLine.remove());

  const run = (...words: string[]) => commandLine.run('blank-forms', ...words);

  it('are added and renamed', async () => {
    expect(await run('add', '--name', 'First')).toEqual({ code: 0, stdout: '{"id":1,"name":"First"}\n', stderr: '' });
    const rename = () => run('rename', '1', '--name', 'Second');
    expect(await rename()).toEqual({ code: 0, stdout: '{"id":1,"name":"Second","changed":true}\n', stderr: '' });
    expect(await rename()).toEqual({
      code: 0,
      stdout: '{"id":1,"name":"Second","changed":false}\n',
      stderr: 'Nothing was changed: it has that name already.\n',
    });
  });

  it.each([
    [1, ['rename', '999', '--name', 'Second'], 'There is no blank form with the id 999.'],
    [1, ['add', '--name', ' '], 'name must be'],
    [2, ['rename', 'x', '--name', 'Second'], 'ID must be a number'],
    [2, ['rename', '1'], "required option '--name <name>' not specified"],
  ])('end with %d and change nothing: %j', async (exitCode, words, refusal) => {
    const { code, stdout, stderr } = await run(...words);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toContain(refusal);
  });

  it('are the same after a replay of the log', async () => {
    expect((await commandLine.run('projections', 'rebuild', 'blank-forms')).code).toBe(0);
    expect(JSON.parse((await commandLine.run('events', 'verify')).stdout)).toMatchObject({ problems: [] });
    expect((await run('rename', '1', '--name', 'Second')).stdout).toContain('"changed":false');
  });
});
