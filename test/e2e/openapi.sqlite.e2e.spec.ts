import { readFileSync } from 'node:fs';
import { startService, type Service } from './service.fixture.js';

interface Operation {
  readonly operationId?: string;
  readonly deprecated?: boolean;
}

describe('the OpenAPI document', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.close());

  const document = async () =>
    (await service.client.get('/openapi.json', { key: null })).json<{
      openapi: string;
      servers: { url: string }[];
      paths: Record<string, Record<string, Operation>>;
      components: { schemas: Record<string, unknown> };
    }>();

  it('says what the committed one says; "npm run documents" writes that', async () => {
    const answer = await service.client.get('/openapi.json', { key: null });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json()).toEqual(JSON.parse(readFileSync('docs/openapi.json', 'utf8')));
  });

  it('describes the promised operations, servers and schemas', async () => {
    const { openapi, servers, paths, components } = await document();
    expect(openapi).toMatch(/^3\.1\./);
    expect(servers.map(({ url }) => url)).toEqual(['/v1', 'https://staging.adoption.example/v1', 'https://api.adoption.example/v1']);
    expect(paths['/pets']?.['get']?.operationId).toBe('listPets');
    expect(paths['/pets']?.['post']?.operationId).toBe('createPet');
    expect(paths['/pets/{petId}']?.['get']).toMatchObject({ operationId: 'getPet', deprecated: true });
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining(['Pet', 'NewPet', 'PetStatus', 'Pets', 'Error']));
  });

  it('has a reference page made of local files alone', async () => {
    const page = await service.client.get('/docs', { key: null });
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      expect(file).toMatch(/^\//);
      expect((await service.client.get(file, { key: null })).status).toBe(200);
    }
    expect((await service.client.get('/docs/nothing.js', { key: null })).json()).toMatchObject({ code: 'not_found', status: 404 });
    expect((await service.client.send('HEAD', '/docs', { key: null })).status).toBe(200);
  });

  it('lists the base addresses of its configuration', async () => {
    const other = await startService({
      environment: { BASE_URL_PRODUCTION: 'https://a.example/v1', BASE_URL_STAGING: 'https://b.example/x/v1' },
    });
    try {
      const { servers } = (await other.client.get('/openapi.json', { key: null })).json<{ servers: { url: string }[] }>();
      expect(servers.map(({ url }) => url)).toEqual(['/v1', 'https://b.example/x/v1', 'https://a.example/v1']);
    } finally {
      await other.close();
    }
  });
});
