import { readFileSync } from 'node:fs';
import { startService } from './service.fixture.js';

describe('the OpenAPI document', () => {
  const read = async (environment: Readonly<Record<string, string>>) => {
    const service = await startService({ environment });
    const answer = await service.client.get('/openapi.json', { key: null });
    await service.close();
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    return answer.json<{ readonly servers: readonly { readonly url: string }[] }>();
  };

  it('says what the committed one says; "npm run documents" writes that', async () => {
    expect(await read({})).toEqual(JSON.parse(readFileSync('docs/reference/openapi.json', 'utf8')));
  });

  it.each<[environment: Readonly<Record<string, string>>, urls: readonly string[]]>([
    [{ DEPLOYMENT: 'staging' }, ['https://staging.adoption.example/v1', 'https://api.adoption.example/v1']],
    [{ BASE_URL_STAGING: 'https://b.example/x/v1' }, ['/v1', 'https://b.example/x/v1', 'https://api.adoption.example/v1']],
  ])('with %j names its own address first', async (environment, urls) => {
    expect((await read(environment)).servers.map(({ url }) => url)).toEqual(urls);
  });
});
