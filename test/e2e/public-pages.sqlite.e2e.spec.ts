import { startService, type Service } from './service.fixture.js';

const REFERENCE = '/docs/reference';
const LINKS = { docs: '/docs', openapi: '/openapi.json', health: '/health/ready' };
const TITLE = 'Animal adoption service';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('the public pages', () => {
  let service: Service;
  let production: Service;
  beforeAll(async () => {
    service = await startService();
    production = await startService({ environment: { DEPLOYMENT: 'production' } });
  });
  afterAll(async () => {
    await production.close();
    await service.close();
  });

  const read = ({ client }: Service, path: string, accept?: string, method = 'GET') =>
    client.send(method, path, { key: null, headers: accept === undefined ? {} : { accept } });

  it('begin with where things are: as JSON, or as a page for a browser', async () => {
    for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0.5, application/json', 'image/png']) {
      const answer = await read(service, '/', accept);
      expect(answer.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', vary: expect.stringContaining('Accept') });
      expect(answer.json()).toEqual({ title: TITLE, ...LINKS, graphiql: '/graphiql' });
    }
    expect((await read(production, '/')).json()).toEqual({ title: TITLE, ...LINKS });
    for (const [each, graphiql] of [
      [service, true],
      [production, false],
    ] as const) {
      const { headers, text } = await read(each, '/', BROWSER);
      expect(headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', vary: expect.stringContaining('Accept') });
      for (const path of Object.values(LINKS)) expect(text).toContain(`<a href="${path}">`);
      expect(text.includes('"/graphiql"')).toBe(graphiql);
    }
  });

  it('answer a wrong address with a page for a browser, and with JSON for others', async () => {
    const page = await read(service, '/docs/guides/nothing', BROWSER);
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    const { status, text } = await read(service, '/docs/guides/nothing');
    expect([status, JSON.parse(text)]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
  });

  it('are compressed, and kept until they change', async () => {
    for (const path of ['/docs', '/docs/assets/pages.css', '/docs/reference/swagger-ui-bundle.js']) {
      const { headers } = await service.client.send('GET', path, { key: null, headers: { 'accept-encoding': 'gzip' } });
      expect([path, headers['content-encoding']]).toEqual([path, 'gzip']);
      const unchanged = { 'if-none-match': String(headers['etag']) };
      expect((await service.client.send('GET', path, { key: null, headers: unchanged })).status).toBe(304);
    }
    expect((await service.client.send('GET', '/v1/pets', { headers: { 'accept-encoding': 'gzip' } })).headers['content-encoding']).toBe(
      undefined,
    );
  });

  it('link to pages and places that are there, and so does their search', async () => {
    const pages = new Map<string, string>();
    const linksOf = (page: string) =>
      [...(pages.get(page) ?? '').matchAll(/\shref="([^"]+)"/g)].map(([, href = '']) => new URL(href, `http://service${page}`));
    /** Reads a page and all that it leads to. */
    const follow = async (path: string): Promise<void> => {
      if (pages.has(path)) return;
      const { status, text, headers } = await read(production, path);
      expect([path, status]).toEqual([path, 200]);
      pages.set(path, String(headers['content-type']).startsWith('text/html') ? text : '');
      for (const { host, pathname } of linksOf(path)) if (host === 'service') await follow(pathname);
    };
    await follow('/docs');
    expect(pages.size).toBeGreaterThan(18);
    const lost = [...pages.keys()].flatMap((page) =>
      linksOf(page)
        .filter(({ host, hash }) => host === 'service' && hash !== '')
        .filter(({ pathname, hash }) => !pages.get(pathname)?.includes(` id="${decodeURIComponent(hash.slice(1))}"`))
        .map(({ href }) => `${page}: ${href}`),
    );
    expect(lost).toEqual([]);

    const sections = (await read(production, '/docs/search.json')).json<{ url: string }[]>().map(({ url }) => url);
    expect(sections.length).toBeGreaterThan(100);
    expect(new Set(sections).size).toBe(sections.length);
    const notFound = sections
      .filter((url) => !url.startsWith(`${REFERENCE}#`))
      .map((url) => url.split('#'))
      .filter(([page = '', id]) => !pages.get(page)?.includes(id ? ` id="${id}"` : '<h1>'));
    expect(notFound).toEqual([]);
  });

  it.each([
    ['development', 200],
    ['staging', 200],
    ['production', 404],
  ])('send requests with GraphiQL and the reference outside of production alone: %s', async (deployment, status) => {
    const deployed = await startService({ environment: { DEPLOYMENT: deployment } });
    try {
      const graphiql = await read(deployed, '/graphiql');
      expect(graphiql.status).toBe(status);
      for (const [, file = ''] of graphiql.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
        expect([file, (await read(deployed, file)).status]).toEqual([file, 200]);
      }
      const { text, headers } = await read(deployed, REFERENCE);
      expect(text).toContain('<header class="pico top">');
      expect(headers['content-security-policy']).toMatch(/script-src 'self';/);
      const start = await read(deployed, `${REFERENCE}/swagger-ui-init.js`);
      expect(start.text.includes('"supportedSubmitMethods": []')).toBe(status === 404);
    } finally {
      await deployed.close();
    }
  });
});
