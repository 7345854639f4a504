import { getIntrospectionQuery, printSchema } from 'graphql';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { Database, SqlFragment } from '#libs/database';
import { codesOf, startGraphqlService, type GraphqlAnswer, type GraphqlService } from './graphql.fixture.js';

const DOCUMENT = '{ petCounts { count } }';

describe('what /graphql refuses', () => {
  let service: GraphqlService;
  beforeAll(async () => (service = await startGraphqlService()));
  afterAll(() => service.close());

  const send = (method: string, target: string, options: object = {}) =>
    service.client.send(method, target, { key: service.token, ...options });

  it.each([
    ['no key', 401, 'unauthorized', { key: null, body: { query: DOCUMENT } }],
    ['a key of another scope', 403, 'insufficient_scope', { key: undefined, body: { query: DOCUMENT } }],
    ['malformed JSON', 400, 'invalid_request', { body: '{"query":' }],
    ['a repeated member', 400, 'invalid_request', { body: `{"query":"{a}","query":"${DOCUMENT}"}` }],
    ['several operations in one body', 400, 'invalid_request', { body: [{ query: DOCUMENT }] }],
    ['no body', 415, 'unsupported_media_type', {}],
    ['no query', 400, 'invalid_request', { body: { operationName: 'a' } }],
    ['variables that are no object', 400, 'invalid_request', { body: { query: DOCUMENT, variables: [1] } }],
    ['another type', 415, 'unsupported_media_type', { body: DOCUMENT, headers: { 'content-type': 'application/graphql' } }],
    ['a large body', 413, 'payload_too_large', { body: { query: ' '.repeat(70_000) } }],
    ['an Accept without its forms', 406, 'not_acceptable', { body: { query: DOCUMENT }, headers: { accept: 'text/html' } }],
  ])('by the Error body: %s', async (_name, status, code, options) => {
    const answer = await send('POST', '/graphql', options);
    expect(answer.json()).toEqual({ code, message: expect.any(String), status });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
    });
  });

  it.each(['PUT', 'DELETE', 'HEAD'])('a method that it does not have: %s', async (method) => {
    const answer = await send(method, '/graphql');
    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('GET, POST, OPTIONS');
  });

  it('a mutation: by GET with 405, by POST with 400', async () => {
    const byGet = await send('GET', `/graphql?query=${encodeURIComponent('mutation { a }')}`);
    expect(byGet.status).toBe(405);
    expect(codesOf(byGet.json<GraphqlAnswer>())).toEqual(['method_not_allowed']);
    expect(byGet.headers.allow).toBe('POST');
    const byPost = await service.ask('mutation { a }');
    expect(byPost.answer.status).toBe(400);
    expect(codesOf(byPost)).toEqual(['invalid_request']);
  });

  it.each([
    ['syntax', '{', undefined, 'invalid_request'],
    ['an unknown field', '{ nothing }', undefined, 'invalid_request'],
    ['an operation that is not there', 'query A { petCounts { count } } query B { petCounts { count } }', undefined, 'invalid_request'],
    ['a first that is no integer', '{ pets(first: 1.5) { totalCount } }', undefined, 'invalid_parameter'],
    ['a first that is no integer, by variable', 'query($n: Int) { pets(first: $n) { totalCount } }', { n: 'x' }, 'invalid_parameter'],
    ['an id that is null in place of its default', 'query($id: ID = 1) { pet(id: $id) { id } }', { id: null }, 'invalid_parameter'],
    ['an asOf that is no moment', '{ pet(id: 1, asOf: "2026-02-30T00:00:00Z") { id } }', undefined, 'invalid_parameter'],
    [
      'an asOf that is no moment, by variable',
      'query($at: DateTime) { pet(id: 1, asOf: $at) { id } }',
      { at: 'today' },
      'invalid_parameter',
    ],
    ['an id that is no int64', '{ pet(id: "1.0") { id } }', undefined, 'invalid_parameter'],
    ['a filter that is null', '{ pets(status: null) { totalCount } }', undefined, 'invalid_parameter'],
    ['an asOf in the future', '{ pet(id: 1, asOf: "2026-06-01T12:00:00.001Z") { id } }', undefined, 'invalid_parameter'],
  ])('by a code of the error table: %s', async (_name, query, variables, code) => {
    const answered = await service.ask(query, variables);
    expect(codesOf(answered)).toEqual([code]);
    expect(answered.errors?.map(({ extensions: { errors: _, ...others } }) => Object.keys(others))).toEqual([['code']]);
    expect(answered.answer.text).not.toMatch(/stack|node_modules/);
  });

  it.each([
    ['pets', 'status', 'PetStatus'],
    ['pets', 'categoryId', 'ID'],
    ['orders', 'status', 'OrderStatus'],
    ['orders', 'petId', 'ID'],
    ['orders', 'placedBy', 'ID'],
    ['events', 'stream', 'String'],
    ['events', 'type', 'String'],
    ['apiKeys', 'status', 'KeyStatus'],
    ['apiKeys', 'plan', 'String'],
    ['apiKeys', 'owner', 'String'],
    ['apiKeys', 'name', 'String'],
    ['apiKeys', 'usedAbove', 'Int'],
  ])('a filter that is null, also of an operation that has run before: %s(%s:)', async (field, name, type) => {
    const query = `query($value: ${type}) { ${field}(${name}: $value) { nodes { __typename } } }`;
    expect((await service.ask(query)).errors).toBeUndefined();
    for (let times = 0; times < 2; times += 1) {
      const { errors } = await service.ask(query, { value: null });
      expect(errors).toMatchObject([
        { path: [field], message: `${name} must not be null; leave it out to get all.`, extensions: { code: 'invalid_parameter' } },
      ]);
    }
  });

  it.each(['first', 'after'])('not a null %s, which counts as not given', async (name) => {
    expect((await service.ask(`{ pets(${name}: null) { totalCount } }`)).errors).toBeUndefined();
  });

  it.each(['pet', 'order'])('the future of: %s', async (field) => {
    const query = `query($at: DateTime) { ${field}(id: 1, asOf: $at) { id } }`;
    expect((await service.ask(query, { at: '2026-06-01T12:00:00Z' })).errors).toBeUndefined();
    for (let times = 0; times < 2; times += 1) {
      const { errors } = await service.ask(query, { at: '2026-06-01T12:00:00.001Z' });
      expect(errors?.map(({ message }) => message)).toEqual([
        'asOf must not be in the future; the clock of the service says 2026-06-01T12:00:00.000Z.',
      ]);
    }
  });

  it('with 429 what is over the limit, and tells of the limits on every answer as REST does', async () => {
    const { token } = await service.issueKey({ scopes: ['graphql'], plan: 'enterprise', perMinute: 2, perDay: 5 });
    const ask = () => send('POST', '/graphql', { key: token, body: { query: DOCUMENT } });
    const headers = { 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1', 'x-ratelimit-reset': expect.any(String) };
    expect(await ask()).toMatchObject({ status: 200, headers });
    await ask();
    const refused = await ask();
    expect(refused.json()).toEqual({ code: 'rate_limited', message: expect.any(String), status: 429 });
    expect(refused.headers).toMatchObject({ ...headers, 'x-ratelimit-remaining': '0', 'retry-after': expect.any(String) });
  });

  it('persisted queries', async () => {
    const extensions = { persistedQuery: { version: 1, sha256Hash: 'ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38' } };
    const { status, ...answer } = await send('POST', '/graphql', { body: { query: DOCUMENT, extensions } });
    expect(status).toBe(200);
    expect(codesOf(answer.json<GraphqlAnswer>())).toEqual(['invalid_request']);
  });

  it('a failure of its own by a message that tells nothing', async () => {
    const broken = await startGraphqlService();
    try {
      const { reader } = broken.app.get(Database);
      const query = reader.query.bind(reader);
      const isOfCounts = ({ strings, values }: SqlFragment): boolean =>
        strings.some((text) => text.includes('counts')) || values.some((value) => value instanceof SqlFragment && isOfCounts(value));
      Object.assign(reader, {
        query: (statement: SqlFragment) => (isOfCounts(statement) ? Promise.reject(new Error('secret statement')) : query(statement)),
      });
      const { errors, answer } = await broken.ask(DOCUMENT);
      expect(errors).toEqual([
        {
          message: 'The service failed; the log has the reason.',
          locations: expect.any(Array),
          path: ['petCounts'],
          extensions: { code: 'internal_error' },
        },
      ]);
      expect(answer.text).not.toContain('secret');
    } finally {
      await broken.close();
    }
  });
});

describe('introspection', () => {
  it('can be turned off, and names are then not suggested either', async () => {
    const service = await startGraphqlService({ environment: { GRAPHQL_INTROSPECTION: 'false' } });
    try {
      for (const query of [getIntrospectionQuery(), '{ __type(name: "Pet") { name } }']) {
        expect(codesOf(await service.ask(query))).toContain('invalid_request');
      }
      const guesses = [
        '{ petz { totalCount } }',
        '{ pets(statuz: SOLD) { totalCount } }',
        '{ pets(status: SOLDE) { totalCount } }',
        '{ petCounts { counts } }',
      ];
      for (const guess of guesses) {
        const { errors } = await service.ask(guess);
        expect(errors?.length).toBeGreaterThan(0);
        for (const { message } of errors ?? []) expect(message).not.toMatch(/did you mean/i);
      }
      const { errors } = await service.ask('query($s: PetStatus) { pets(status: $s) { totalCount } }', { s: 'SOLDE' });
      expect(errors?.[0]?.message).not.toMatch(/did you mean/i);
      expect((await service.ask('{ __typename petCounts { __typename } }')).errors).toBeUndefined();
    } finally {
      await service.close();
    }
  });

  it('describes every type, field and argument', async () => {
    const service = await startGraphqlService();
    try {
      const printed = printSchema(service.app.get(GraphQLSchemaHost).schema);
      const bare = printed
        .split('\n')
        .filter(
          (line, index, lines) =>
            /^\s*(?:type|enum|scalar|\w+[(:])/.test(line) && !/"""$/.test(lines[index - 1] ?? '') && !line.includes('"""'),
        );
      expect(bare).toEqual([]);
      expect(printed).not.toMatch(/type (?:Mutation|Subscription)/);
    } finally {
      await service.close();
    }
  });
});
