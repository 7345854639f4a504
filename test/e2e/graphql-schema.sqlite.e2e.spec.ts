import { readFileSync } from 'node:fs';
import { getIntrospectionQuery } from 'graphql';
import { codesOf, startGraphqlService, type GraphqlService } from './graphql.fixture.js';

describe('GET /graphql/schema in production, with introspection off', () => {
  let service: GraphqlService;
  beforeAll(async () => (service = await startGraphqlService({ environment: { DEPLOYMENT: 'production' } })));
  afterAll(() => service.close());

  const get = (headers: Readonly<Record<string, string>> = {}, key: string | null = service.token) =>
    service.client.send('GET', '/graphql/schema', { key, headers });

  it('gives the schema that the repository has', async () => {
    expect(codesOf(await service.ask(getIntrospectionQuery()))).toContain('invalid_request');
    const answer = await get();
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(answer.text).toBe(readFileSync('schema.graphql', 'utf8'));
  });

  it('has an ETag, and tells of the limits', async () => {
    const { headers } = await get();
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '1000000', 'cache-control': 'private, no-cache' });
    const again = await get({ 'if-none-match': String(headers.etag) });
    expect([again.status, again.text]).toEqual([304, '']);
  });

  it.each([
    ['no key', undefined, {}, 401, 'unauthorized'],
    ['a key without the scope graphql', ['pets'], {}, 403, 'insufficient_scope'],
    ['an Accept without plain text', ['graphql'], { accept: 'application/json' }, 406, 'not_acceptable'],
  ])('refuses %s by the Error body', async (_name, scopes, headers, status, code) => {
    const answer = await get(headers, scopes ? (await service.issueKey({ scopes })).token : null);
    expect(answer.json()).toEqual({ code, message: expect.any(String), status });
    expect(answer.status).toBe(status);
  });
});
