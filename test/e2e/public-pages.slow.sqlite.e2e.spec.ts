import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { errorTable } from '#libs/observability';
import { composition } from '../../src/bootstrap/composition.js';
import { describeInBrowser, expectNoSeriousFaults, useBrowser } from './browser.fixture.js';
import { startService, type Service } from './service.fixture.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const VERSION = version.replaceAll('.', '\\.');
const CHANGELOG = '/docs/changelog';
const ERRORS = '/docs/errors';

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

describe('GET /', () => {
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

  it('answers HEAD as GET', async () => {
    for (const accept of ['application/json', 'text/html']) {
      const [full, head] = [await ask(accept), await ask(accept, 'HEAD')];
      expect(head).toMatchObject({ status: 200, text: '' });
      for (const name of ['content-type', 'content-length', 'vary']) expect(head.headers[name]).toBe(full.headers[name]);
    }
  });

  it('is there in production too, where GraphiQL is not', async () => {
    const answer = await production.client.get('/', { key: null });
    expect(answer.json()).toEqual({ title: 'Animal adoption service', docs: '/docs', openapi: '/openapi.json', health: '/health/ready' });
  });
});

describe('the changelog', () => {
  let page: string;

  beforeAll(async () => {
    const { externalDocs } = await document();
    const answer = await production.client.get(externalDocs?.url ?? '', { key: null });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    page = answer.text;
  });

  const document = async () => (await production.client.get('/openapi.json', { key: null })).json<OpenAPIObject>();

  it('has a dated entry for the version of the package, which is that of the document', async () => {
    expect(page).toMatch(new RegExp(`<h2 id="${VERSION}"><a [^>]*>${VERSION} - \\d{4}-\\d\\d-\\d\\d<`));
    expect((await document()).info.version).toBe(version);
  });

  it('shows every entry of CHANGELOG.md', () => {
    const entries = readFileSync('CHANGELOG.md', 'utf8').match(/^- /gm) ?? [];
    expect(entries.length).toBeGreaterThan(10);
    const [, article = ''] = page.split('<article>');
    expect(article.match(/<li>/g)).toHaveLength(entries.length);
  });

  it('names every operation that is deprecated', async () => {
    const { paths } = await document();
    const deprecated = Object.entries(paths).flatMap(([path, { get }]) => (get?.deprecated ? [`GET /v1${path}`] : []));
    expect(deprecated).toHaveLength(1);
    const sections = page
      .split(/<h3 id="deprecated[^>]*>/)
      .slice(1)
      .join('');
    for (const operation of deprecated) expect(sections).toContain(`<code>${operation}</code>`);
  });

  it('is about a service that can be asked for help', async () => {
    expect((await document()).info.contact).toEqual({
      name: expect.stringMatching(/\w/),
      email: expect.stringMatching(/^[a-z]+@[a-z.]+$/),
    });
  });
});

describe('the page of error codes', () => {
  it('explains every code of the service and of its modules, once, with its status', async () => {
    const { text } = await service.client.get(ERRORS, { key: null });
    const statuses = [...Object.entries(errorTable), ...composition().errors.map(({ code, status }) => [code, status] as const)];
    for (const [code, status] of [...statuses, ['bad_gateway', 502], ['gateway_timeout', 504]] as const) {
      expect(text.split(`<section id="${code}"`)).toHaveLength(2);
      expect(text).toMatch(
        new RegExp(`<section id="${code}"[^>]*>\\s*<h3>\\s*<a [^>]*><code>${code}</code> <span class="status">${status}</span></a>`),
      );
    }
  });

  it('is public in production too', async () => {
    const page = await production.client.get(ERRORS, { key: null });
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  });
});

describeInBrowser('in a browser', () => {
  const browser = useBrowser(() => service.origin);

  it.each(['/', '/docs', CHANGELOG, ERRORS].flatMap((path) => (['light', 'dark'] as const).map((scheme) => [path, scheme] as const)))(
    'the page %s has nothing serious for axe-core in the %s',
    async (path, colorScheme) => {
      const { page } = await browser.open(path, { colorScheme });
      await expectNoSeriousFaults(page);
      if (path === '/') return;
      const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      expect(background).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(18, 23, 29)');
    },
  );

  it.each(['/', '/docs', CHANGELOG, ERRORS])('the page %s does not scroll sideways at a width of 360 px', async (path) => {
    const { page } = await browser.open(path, { viewport: { width: 360, height: 740 } });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  it('the index leads to the guides by keyboard', async () => {
    const { page } = await browser.open('/');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.origin}/docs`);
  });

  it('the page of error codes shows what the link names, under a heading', async () => {
    const { page } = await browser.open(`${ERRORS}#pet_has_open_order`, { viewport: { width: 1280, height: 400 } });
    const entry = page.locator(':target');
    expect(await entry.locator('h3').innerText()).toBe('pet_has_open_order 409');
    expect(await entry.innerText()).toMatch(/What to do:/);
    expect((await entry.boundingBox())?.y).toBeLessThan(400);
  });

  it('the page of error codes is led through by keyboard', async () => {
    const { page } = await browser.open(ERRORS);
    await page.locator('.codes').getByRole('link', { name: 'rate_limited' }).focus();
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#rate_limited');
  });
});
