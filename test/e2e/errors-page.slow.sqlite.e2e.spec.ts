import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { errorTable } from '#libs/errors';
import { composition } from '../../src/composition.js';
import { describeInBrowser, openPage, requestsElsewhere, seriousFaults, startBrowser, type Watched } from './browser.fixture.js';
import { startService, type Service } from './service.fixture.js';

const PAGE = '/docs/errors';

describe('the page of error codes', () => {
  let service: Service;

  beforeAll(async () => (service = await startService()));
  afterAll(() => service.close());

  it('explains every code of the service and of its modules, once, with its status', async () => {
    const { text } = await service.client.get(PAGE, { key: null });
    const statuses = [...Object.entries(errorTable), ...composition().errors.map(({ code, status }) => [code, status] as const)];
    for (const [code, status] of [...statuses, ['bad_gateway', 502], ['gateway_timeout', 504]] as const) {
      expect(text.split(`<section id="${code}"`)).toHaveLength(2);
      expect(text).toMatch(new RegExp(`<section id="${code}"[^>]*>\\s*<h2><code>${code}</code> <span class="kind">${status}</span></h2>`));
    }
  });

  it('is public in production too, where the reference page leads to it', async () => {
    const production = await startService({ environment: { DEPLOYMENT: 'production' } });
    const [page, reference] = [await production.client.get(PAGE, { key: null }), await production.client.get('/docs', { key: null })];
    await production.close();
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(reference.text.split(`href="${PAGE}"`)).toHaveLength(2);
  });

  describeInBrowser('in a browser', () => {
    let browser: Browser;
    let page: Page;
    let watched: Watched;

    beforeAll(async () => (browser = await startBrowser()));
    afterAll(() => browser.close());
    afterEach(async () => {
      expect(requestsElsewhere(watched, service.origin)).toEqual([]);
      expect(watched.problems).toEqual([]);
      await page.context().close();
    });

    const open = async (target: string, options: BrowserContextOptions = {}) => {
      ({ page, watched } = await openPage(browser, service.origin + target, options));
    };

    it.each(['light', 'dark'] as const)('has nothing serious for axe-core in the %s', async (colorScheme) => {
      await open(PAGE, { colorScheme });
      expect(await seriousFaults(page)).toEqual([]);
      const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
      expect(background).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(18, 23, 29)');
    });

    it('shows what the link names, under a heading', async () => {
      await open(`${PAGE}#pet_has_open_order`, { viewport: { width: 1280, height: 400 } });
      const entry = page.locator(':target');
      expect(await entry.locator('h2').innerText()).toBe('pet_has_open_order 409');
      expect(await entry.innerText()).toMatch(/What to do:/);
      expect((await entry.boundingBox())?.y).toBeLessThan(400);
    });

    it('is led through by keyboard', async () => {
      await open(PAGE);
      await page.getByRole('link', { name: 'rate_limited' }).focus();
      await page.keyboard.press('Enter');
      expect(new URL(page.url()).hash).toBe('#rate_limited');
    });

    it('does not scroll sideways at a width of 360 px', async () => {
      await open(PAGE, { viewport: { width: 360, height: 740 } });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    });
  });
});
