import { readFileSync } from 'node:fs';
import { composition } from '../../src/bootstrap/composition.js';
import { startService, type Service } from './service.fixture.js';

interface Operation {
  readonly operationId?: string;
  readonly description?: string;
  readonly security?: readonly { readonly bearerAuth?: readonly string[] }[];
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

describe('the OpenAPI document', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.close());

  const document = async () =>
    (await service.client.get('/openapi.json', { key: null })).json<{
      paths: Record<string, Record<string, Operation>>;
      components: Record<'headers' | 'responses' | 'schemas', Record<string, unknown>>;
    }>();

  it('says what the committed one says; "npm run documents" writes that', async () => {
    const answer = await service.client.get('/openapi.json', { key: null });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json()).toEqual(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));
  });

  it('names the scopes of each operation, for programs and in words', async () => {
    const operations = Object.values((await document()).paths).flatMap((item) => Object.values(item));
    const known = new Set(composition().scopes.keys());
    for (const { security = [], description = '' } of operations) {
      const [{ bearerAuth: scopes = [] } = {}] = security;
      const words = `The API key needs the ${scopes.length > 1 ? 'scopes' : 'scope'} \`${scopes.join('` and `')}\`.`;
      expect(description).toContain(scopes.length === 0 ? 'it needs no scope.' : words);
      for (const scope of scopes) expect(known).toContain(scope);
    }
    const { paths } = await document();
    expect(paths['/pets/{petId}']?.['delete']?.security).toEqual([{ bearerAuth: ['pets:write'] }]);
    expect(paths['/webhooks']?.['post']?.security).toEqual([{ bearerAuth: ['webhooks', 'events'] }]);
  });

  it.each<[environment: Readonly<Record<string, string>>, urls: readonly string[]]>([
    [{ DEPLOYMENT: 'staging' }, ['https://staging.adoption.example/v1', 'https://api.adoption.example/v1']],
    [{ DEPLOYMENT: 'production' }, ['https://api.adoption.example/v1', 'https://staging.adoption.example/v1']],
    [
      { BASE_URL_PRODUCTION: 'https://a.example/v1', BASE_URL_STAGING: 'https://b.example/x/v1' },
      ['/v1', 'https://b.example/x/v1', 'https://a.example/v1'],
    ],
  ])('with %j names its own address first', async (environment, urls) => {
    const other = await startService({ environment });
    const { servers } = (await other.client.get('/openapi.json', { key: null })).json<{ servers: { url: string }[] }>();
    await other.close();
    expect(servers.map(({ url }) => url)).toEqual(urls);
  });
});
