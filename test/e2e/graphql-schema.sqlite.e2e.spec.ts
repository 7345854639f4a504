import { readFileSync } from 'node:fs';
import { getIntrospectionQuery } from 'graphql';
import { codesOf, startGraphqlService } from './graphql.fixture.js';

describe('GET /graphql/schema', () => {
  it('gives the schema that the repository has, in production too, where introspection is off', async () => {
    const service = await startGraphqlService({ environment: { DEPLOYMENT: 'production' } });
    expect(codesOf(await service.ask(getIntrospectionQuery()))).toContain('invalid_request');
    const get = (headers = {}) => service.client.get('/graphql/schema', { key: service.token, headers });
    const { status, text, headers } = await get();
    expect([status, headers['content-type'], text]).toEqual([
      200,
      'text/plain; charset=utf-8',
      readFileSync('docs/reference/schema.graphql', 'utf8'),
    ]);
    expect((await get({ 'if-none-match': headers.etag ?? '' })).status).toBe(304);
    await service.close();
  });
});
