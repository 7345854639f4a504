import { readFileSync } from 'node:fs';
import { startService, type Service } from './service.fixture.js';

interface Operation {
  readonly operationId?: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses?: Readonly<Record<string, unknown>>;
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
      components: Record<'headers' | 'responses' | 'schemas', Record<string, unknown>>;
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

  it('refers only to components that it defines, and defines no response and no header that nothing refers to', async () => {
    const { paths, components, ...others } = await document();
    const text = JSON.stringify({ paths, components, ...others });
    const references = [...text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)];
    expect(references.length).toBeGreaterThan(0);
    for (const [, kind = '', name = ''] of references) expect(components).toHaveProperty([kind, name]);
    for (const kind of ['responses', 'headers'] as const) {
      for (const name of Object.keys(components[kind])) expect(text).toContain(`"#/components/${kind}/${name}"`);
    }
  });

  it('describes HEAD wherever there is GET, without content, and OPTIONS of every path', async () => {
    for (const { get, head, options } of Object.values((await document()).paths)) {
      expect(Object.keys(head?.responses ?? {})).toEqual(Object.keys(get?.responses ?? {}));
      expect(head?.parameters).toEqual(get?.parameters);
      expect(JSON.stringify(head ?? {})).not.toMatch(/"content"|#\/components\/responses/);
      expect(options?.responses).toMatchObject({ 204: { headers: { Allow: {} } } });
    }
  });

  it('gives each operation its own id, and names each of its parameters once', async () => {
    const methods = ['get', 'head', 'options', 'post', 'put', 'patch', 'delete'];
    const operations = Object.values((await document()).paths).flatMap((path) => methods.flatMap((method) => path[method] ?? []));
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    for (const { parameters = [] } of operations) {
      const names = parameters.map(({ in: place, name }) => `${place} ${name.toLowerCase()}`);
      expect(new Set(names).size).toBe(names.length);
    }
  });

  it('has no member that OpenAPI 3.1 dropped, and does not say that a key is a JWT', async () => {
    expect(JSON.stringify(await document())).not.toMatch(/"nullable"|"exclusiveM\w+":(true|false)|"bearerFormat"/);
  });

  it('has a reference page made of local files alone', async () => {
    const page = await service.client.get('/docs/reference', { key: null });
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) {
      expect(file).toMatch(/^\//);
      expect((await service.client.get(file, { key: null })).status).toBe(200);
    }
    expect((await service.client.get('/docs/nothing.js', { key: null })).json()).toMatchObject({ code: 'not_found', status: 404 });
    expect((await service.client.send('HEAD', '/docs/reference', { key: null })).status).toBe(200);
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
