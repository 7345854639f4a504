import { readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { describeInBrowser, openPage, requestsElsewhere, seriousFaults, startBrowser, type Watched } from './browser.fixture.js';
import { startService, type Service } from './service.fixture.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
const VERSION = version.replaceAll('.', '\\.');

describe('the changelog', () => {
  let service: Service;
  let page: string;

  beforeAll(async () => {
    service = await startService({ environment: { DEPLOYMENT: 'production' } });
    const { externalDocs } = await document();
    const answer = await service.client.get(externalDocs?.url ?? '', { key: null });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    page = answer.text;
  });
  afterAll(() => service.close());

  const document = async () => (await service.client.get('/openapi.json', { key: null })).json<OpenAPIObject>();

  it('has a dated entry for the version of the package, which is that of the document', async () => {
    expect(page).toMatch(new RegExp(`<section id="${VERSION}"[^>]*>\\s*<h2>${VERSION}<span class="kind"> - \\d{4}-\\d\\d-\\d\\d<`));
    expect((await document()).info.version).toBe(version);
  });

  it('shows every entry of CHANGELOG.md', () => {
    const entries = readFileSync('CHANGELOG.md', 'utf8').match(/^- /gm) ?? [];
    expect(entries.length).toBeGreaterThan(10);
    expect(page.match(/<li>/g)).toHaveLength(entries.length);
  });

  it('names every operation that is deprecated', async () => {
    const { paths } = await document();
    const deprecated = Object.entries(paths).flatMap(([path, { get }]) => (get?.deprecated ? [`GET /v1${path}`] : []));
    expect(deprecated).toHaveLength(1);
    const [, section = ''] = page.split('<h3>Deprecated</h3>');
    for (const operation of deprecated) expect(section).toContain(`<code>${operation}</code>`);
  });

  it('is where the reference page leads to', async () => {
    const { text } = await service.client.get('/docs', { key: null });
    expect(text).toContain('<a href="/docs/changelog">What has changed</a>');
  });

  it('is about a service that can be asked for help', async () => {
    expect((await document()).info.contact).toEqual({
      name: expect.stringMatching(/\w/),
      email: expect.stringMatching(/^[a-z]+@[a-z.]+$/),
    });
  });

  describeInBrowser('in a browser', () => {
    let browser: Browser;
    let shown: Page;
    let watched: Watched;

    beforeAll(async () => (browser = await startBrowser()));
    afterAll(() => browser.close());
    afterEach(async () => {
      expect(requestsElsewhere(watched, service.origin)).toEqual([]);
      expect(watched.problems).toEqual([]);
      await shown.context().close();
    });

    const open = async (options: BrowserContextOptions) => {
      ({ page: shown, watched } = await openPage(browser, `${service.origin}/docs/changelog`, options));
    };

    it.each(['light', 'dark'] as const)('has nothing serious for axe-core in the %s', async (colorScheme) => {
      await open({ colorScheme });
      expect(await seriousFaults(shown)).toEqual([]);
    });

    it('does not scroll sideways at a width of 360 px', async () => {
      await open({ viewport: { width: 360, height: 740 } });
      expect(await shown.evaluate('document.documentElement.scrollWidth')).toBe(360);
    });
  });
});
