import { composition } from '../../src/bootstrap/composition.js';
import { startService, type Service } from './service.fixture.js';

const ERRORS = '/docs/errors';
const REFERENCE = '/docs/reference';
const LINKS = { docs: '/docs', openapi: '/openapi.json', health: '/health/ready' };
const TITLE = 'Animal adoption service';

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

  it('begin with where things are: as JSON, or as a page for a browser, which may load nothing', async () => {
    for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0.5, application/json', 'image/png']) {
      const answer = await read(service, '/', accept);
      expect(answer.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', vary: 'Accept' });
      expect(answer.json()).toEqual({ title: TITLE, ...LINKS, graphiql: '/graphiql' });
    }
    expect((await read(production, '/')).json()).toEqual({ title: TITLE, ...LINKS });
    const page = await read(service, '/', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
    expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', vary: 'Accept' });
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'/);
    expect([...page.text.matchAll(/<a href="([^"]+)">/g)].map(([, path]) => path)).toEqual([...Object.values(LINKS), '/graphiql']);
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

  it('explain every code of an error once, with its status', async () => {
    const { text } = await read(production, ERRORS);
    const ofService = composition().errors.map(({ code, status }) => [code, status] as const);
    for (const [code, status] of [...ofService, ['bad_gateway', 502], ['gateway_timeout', 504]] as const) {
      const [, section = '', ...more] = text.split(`<section id="${code}"`);
      expect([code, more]).toEqual([code, []]);
      expect(section).toContain(`<code>${code}</code> <span class="status">${status}</span>`);
    }
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
      expect(text).toContain(`allow-try="${status === 200}"`);
      expect(text).toContain(`allow-authentication="${status === 200}"`);
      expect(headers['content-security-policy']).toMatch(/script-src 'self';/);
    } finally {
      await deployed.close();
    }
  });
});
