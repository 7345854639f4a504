import { lines, withImports } from './imports.mjs';
import { aboutAnimals, addAnimals, clientSample, graphqlSample, jsonText, sampleOf, typed, typedResult } from './samples.mjs';

/** A test of the module over REST, GraphQL, the client and the command line. */
export const serviceTestFiles = (model) => [[`test/${model.many.kebab}.e2e.spec.ts`, serviceTest(model)]];

function serviceTest(model) {
  const { one, many, fields, shown, add, others, status } = model;
  const end = status ? `,"status":"${add.past.kebab}"` : '';
  const asked = shown.map(({ name }) => name).join(' ');
  const inGraphql = `${fields.map(({ name, kind }) => `${name}: ${graphqlSample(kind)}`).join(', ')}${status ? `, status: '${add.past.screaming}'` : ''}`;
  const text = `
const PATH = '/v1/${many.kebab}';
const FIRST = ${sampleOf(fields, 0)};
const SECOND = ${sampleOf(fields, 1)};

describe('the ${many.prose} of a service', () => {
  let service: GraphqlService;
  let key: string;
  beforeAll(async () => {
    service = await startGraphqlService();
    key = (await service.issueKey({ ...UNLIMITED, scopes: ['${many.kebab}', 'events'] })).token;
    ${addAnimals(fields)}
  });
  afterAll(() => service.close());

  const send = (body: object = FIRST, headers = {}) => service.client.post(PATH, body, { key, headers });
  const get = (target: string, headers = {}) => service.client.get(target, { key, headers });
  const begin = async () => (await send()).json<{ id: number }>().id;

  it('are ${add.past.prose} with a location', async () => {
    const answer = await send();
    const { id } = answer.json<{ id: number }>();
    const text = \`{"id":\${id},${jsonText(fields, 0)}${end}}\`;
    expect(answer).toMatchObject({ status: 201, text, headers: { location: \`\${PATH}/\${id}\` } });
    expect((await get(\`\${PATH}/\${id}\`)).text).toBe(text);
  });

  it('are ${add.past.prose} once for one idempotency key', async () => {
    const { first, again } = await repeatWithoutReads(service, () => send(FIRST, { 'idempotency-key': 'once' }));
    expect(again).toMatchObject({ status: 201, text: first.text, headers: { 'idempotency-replayed': 'true' } });
    expect((await send(SECOND, { 'idempotency-key': 'once' })).json()).toMatchObject({ code: 'idempotency_key_reused', status: 422 });
  });

  it('are listed in pages that meet each one once', async () => {
    await begin();
    const newest = await begin();
    const ids: number[] = [];
    for (let target: string | undefined = \`\${PATH}?limit=2\`; target !== undefined;) {
      const answer = await get(target);
      ids.push(...answer.json<{ id: number }[]>().map(({ id }) => id));
      target = /^<([^>]+)>; rel="next"$/.exec(String(answer.headers.link ?? ''))?.[1];
    }
    expect(ids).toEqual(Array.from({ length: newest }, (_, index) => index + 1));
  });

  it('are narrowed by ids, turned round and counted', async () => {
    const [one, other] = [await begin(), await begin()];
    const answer = await get(\`\${PATH}?ids=\${one},\${other},999&order=desc&limit=1&total=true\`);
    expect(answer.json()).toMatchObject([{ id: other }]);
    expect(answer.headers['x-total-count']).toBe('2');
    const { data } = await service.ask(\`{ ${many.camel}(filter: { ids: [\${one}, \${other}] }, orderBy: ID_DESC, first: 1) { nodes { id } totalCount } }\`);
    expect(data).toEqual({ ${many.camel}: { nodes: [{ id: String(other) }], totalCount: 2 } });
  });
${filterTest(model)}
  it('are not sent again while they are unchanged', async () => {
    const before = await get(PATH);
    expect((await get(PATH, { 'if-none-match': before.headers.etag })).status).toBe(304);
    await begin();
    expect((await get(PATH, { 'if-none-match': before.headers.etag })).status).toBe(200);
  });
${others.map((other) => routeTest(model, other)).join('')}
  it('are published to other systems', async () => {
    const id = await begin();
    const [event] = (await get(\`/v1/events?subject=${many.kebab}/\${id}\`)).json<{ type: string; data: object }[]>();
    expect(event).toMatchObject({ type: '${one.kebab}.${add.past.snake}', data: (await get(\`\${PATH}/\${id}\`)).json() });
  });

  it('are read over GraphQL', async () => {
    const id = await begin();
    const { data } = await service.ask(\`{ ${one.camel}(id: \${id}) { id ${asked} } ${many.camel}(first: 1) { nodes { id } pageInfo { hasNextPage } } }\`);
    expect(data).toEqual({
      ${one.camel}: { id: String(id), ${inGraphql} },
      ${many.camel}: { nodes: [{ id: '1' }], pageInfo: { hasNextPage: true } },
    });
    expect((await service.ask('{ ${one.camel}(id: 999) { id } }')).data).toEqual({ ${one.camel}: null });
  });

  it('are used by the client', async () => {
    const { ${many.camel} } = createClient({ baseUrl: service.origin, key });
    const ${add.verb.camel}One = () => ${many.camel}.${add.verb.camel}({ ${clientSample(fields, 0)} });
    ${lines(others.map((other) => `await ${many.camel}.${other.verb.camel}((await ${add.verb.camel}One()).id${other.fields ? `, { ${clientSample(other.fields, 1)} }` : ''});`))}
    const { id } = await ${add.verb.camel}One();
    expect(await ${many.camel}.list({ order: 'desc' }).toArray({ max: 1 })).toEqual([await ${many.camel}.get(id)]);
    expect(await ${many.camel}.count({ ids: [id, 999n] })).toBe(1);
  });
});

describe('the ${many.prose} on the command line', () => {
  let commandLine: CommandLine;
  beforeAll(async () => {
    commandLine = await openCommandLine();
    await commandLine.run('db', 'migrate');
    ${aboutAnimals(fields) ? 'await commandLine.addAnimals(3);' : ''}
  });
  afterAll(() => commandLine.remove());

  const run = (...words: string[]) => commandLine.run('${many.kebab}', ...words);

  const begun = ['${add.verb.kebab}', ${typed(fields, 0)}];

  it('are ${add.past.prose}', async () => {
    const { code, stdout, stderr } = await run(...begun);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({ ${typedResult(fields)} });
  });
${
  others.length > 0
    ? `
  it.each<[command: string, options: string[]]>([
    ${lines(others.map((other) => `['${other.verb.kebab}', [${other.fields ? typed(other.fields, 1) : ''}]],`))}
  ])('are changed once by %s', async (command, options) => {
    const { id } = JSON.parse((await run(...begun)).stdout) as { id: number };
    const change = () => run(command, String(id), ...options);
    expect((await change()).stdout).toContain('"changed":true');
    const again = { stdout: expect.stringContaining('"changed":false'), stderr: 'Nothing was changed: it is so already.\\n' };
    expect(await change()).toMatchObject({ code: 0, ...again });
  });
`
    : ''
}${
    others.length > 0
      ? `
  it.each([
    ${lines(
      others.map(
        (
          other,
        ) => `[1, ['${other.verb.kebab}', '999'${other.fields ? `, ${typed(other.fields, 1)}` : ''}], 'There is no ${one.prose} with the id 999.'],
    [2, ['${other.verb.kebab}', 'x'${other.fields ? `, ${typed(other.fields, 1)}` : ''}], 'ID must be a number'],`,
      ),
    )}
  ])('end with %d and change nothing: %j', async (exitCode, words, refusal) => {
    const { code, stdout, stderr } = await run(...words);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).toContain(refusal);
  });
`
      : ''
  }
  it('are the same after a replay of the log', async () => {
    expect((await commandLine.run('projections', 'rebuild', '${many.kebab}')).code).toBe(0);
    expect(JSON.parse((await commandLine.run('events', 'verify')).stdout)).toMatchObject({ problems: [] });
  });
});
`;
  return withImports(
    [
      ['../../../packages/client/src/index.js', 'createClient'],
      ['../../../test/e2e/command-line.fixture.js', 'openCommandLine', 'type CommandLine'],
      ['../../../test/e2e/graphql.fixture.js', 'startGraphqlService', 'type GraphqlService'],
      ['../../../test/e2e/repeated-request.fixture.js', 'repeatWithoutReads'],
      ['../../../test/e2e/service.fixture.js', 'UNLIMITED'],
    ],
    text,
  );
}

/** A test of the filters by other members than the id. */
function filterTest({ many, filters: [, ...filters] }) {
  if (filters.length === 0) return '';
  const rows = filters.map(
    ({ name, parameter, samples, inGraphql }) => `['${parameter}', '${samples.join("', '")}', '${name}: ${inGraphql}'],`,
  );
  return `
  it.each([
    ${lines(rows)}
  ])('are narrowed by %s', async (parameter, matching, other, filter) => {
    const id = await begin();
    const listed = async (value: string) => (await get(\`\${PATH}?ids=\${id}&\${parameter}=\${value}\`)).json();
    expect([await listed(matching), await listed(other)]).toMatchObject([[{ id }], []]);
    const { data } = await service.ask(\`{ ${many.camel}(filter: { ids: [\${id}], \${filter} }) { nodes { id } } }\`);
    expect(data).toEqual({ ${many.camel}: { nodes: [{ id: String(id) }] } });
  });
`;
}

function routeTest({ one }, other) {
  const { verb, past, fields } = other;
  const body = fields ? sampleOf(fields, 1) : 'undefined';
  return `
  it('${verb.prose} one, and find it so the second time', async () => {
    const target = \`\${PATH}/\${await begin()}\`;
    const repeated = () => service.client.post(\`\${target}/${verb.kebab}\`, ${body}, { key });
    const first = await repeated();
    expect(first.status).toBe(200);
    expect(first.json()).toMatchObject(${fields ? sampleOf(fields, 1) : `{ status: '${past.kebab}' }`});
    expect((await repeated()).text).toBe(first.text);
    expect((await get(target)).text).toBe(first.text);
    expect((await service.client.post(\`\${PATH}/999/${verb.kebab}\`, ${body}, { key })).json()).toMatchObject({ code: 'not_found', status: 404, message: 'There is no ${one.prose} with the id 999.' });
  });
`;
}
