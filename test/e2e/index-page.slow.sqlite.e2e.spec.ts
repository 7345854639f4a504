import { itInBrowser, openPage, requestsElsewhere, seriousFaults, startBrowser } from './browser.fixture.js';
import { startService, type Service } from './service.fixture.js';

describe('GET /', () => {
  let service: Service;
  beforeAll(async () => (service = await startService()));
  afterAll(() => service.close());

  const ask = (accept?: string, method = 'GET') =>
    service.client.send(method, '/', { key: null, headers: accept === undefined ? {} : { accept } });

  it('tells everybody as JSON where things are, each of which is there', async () => {
    for (const accept of [undefined, '*/*', 'application/json', 'text/html;q=0.5, application/json', 'image/png']) {
      const answer = await ask(accept);
      expect(answer.headers).toMatchObject({ 'content-type': 'application/json; charset=utf-8', vary: 'Accept' });
      const { title, ...links } = answer.json<Record<string, string>>();
      expect(title).toBe('Animal adoption service');
      expect(links).toEqual({ docs: '/docs', openapi: '/openapi.json', health: '/health/ready', graphiql: '/graphiql' });
      for (const path of Object.values(links)) expect((await service.client.get(path, { key: null })).status).toBe(200);
    }
  });

  it('is a page with the same links for a browser, which may load nothing', async () => {
    const answer = await ask('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
    expect(answer.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', vary: 'Accept' });
    expect(answer.headers['content-security-policy']).toMatch(/^default-src 'none'/);
    const links = [...answer.text.matchAll(/<a href="([^"]+)">/g)].map(([, path]) => path);
    expect(links).toEqual(Object.values((await ask()).json<Record<string, string>>()).slice(1));
  });

  itInBrowser('is a page without serious faults for axe-core, whose links lead somewhere by keyboard', async () => {
    const browser = await startBrowser();
    try {
      const { page, watched } = await openPage(browser, `${service.origin}/`);
      expect(await seriousFaults(page)).toEqual([]);
      expect([requestsElsewhere(watched, service.origin), watched.problems]).toEqual([[], []]);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.waitForURL(`${service.origin}/docs`);
    } finally {
      await browser.close();
    }
  });

  it('answers HEAD as GET', async () => {
    for (const accept of ['application/json', 'text/html']) {
      const [full, head] = [await ask(accept), await ask(accept, 'HEAD')];
      expect(head).toMatchObject({ status: 200, text: '' });
      for (const name of ['content-type', 'content-length', 'vary']) expect(head.headers[name]).toBe(full.headers[name]);
    }
  });

  it('is there in production too, where GraphiQL is not', async () => {
    const production = await startService({ environment: { DEPLOYMENT: 'production' } });
    try {
      const answer = await production.client.get('/', { key: null });
      expect(answer.json()).toEqual({
        title: 'Animal adoption service',
        docs: '/docs',
        openapi: '/openapi.json',
        health: '/health/ready',
      });
    } finally {
      await production.close();
    }
  });
});
