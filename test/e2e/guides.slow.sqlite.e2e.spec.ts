import type { Page } from 'playwright-core';
import { describeInBrowser, expectNoSeriousFaults, useBrowser } from './browser.fixture.js';
import { startService, type Service } from './service.fixture.js';

const GUIDE = '/docs/guides/repeating-requests';
/** A page with the widest code and tables. */
const WIDE = '/docs/guides/graphql';

let service: Service;
beforeAll(async () => (service = await startService({ environment: { DEPLOYMENT: 'production' } })));
afterAll(() => service.close());

describe('the links of the pages at /docs', () => {
  const pages = new Map<string, string>();
  const linksOf = (page: string) =>
    [...(pages.get(page) ?? '').matchAll(/\shref="([^"]+)"/g)].map(([, href = '']) => new URL(href, `http://service${page}`));

  /** Reads a page and all that it leads to. */
  const follow = async (path: string): Promise<void> => {
    if (pages.has(path)) return;
    const { status, text, headers } = await service.client.get(path, { key: null });
    expect([path, status]).toEqual([path, 200]);
    pages.set(path, String(headers['content-type']).startsWith('text/html') ? text : '');
    for (const { host, pathname } of linksOf(path)) if (host === 'service') await follow(pathname);
  };

  it('lead to pages and places that are there', async () => {
    await follow('/docs');
    expect(pages.size).toBeGreaterThan(18);
    const lost = [...pages.keys()].flatMap((page) =>
      linksOf(page)
        .filter(({ host, hash }) => host === 'service' && hash !== '')
        .filter(({ pathname, hash }) => !pages.get(pathname)?.includes(` id="${decodeURIComponent(hash.slice(1))}"`))
        .map(({ href }) => `${page}: ${href}`),
    );
    expect(lost).toEqual([]);
  });

  it('have what the search finds', async () => {
    const sections = (await service.client.get('/docs/search.json', { key: null })).json<{ url: string }[]>();
    expect(sections.length).toBeGreaterThan(100);
    expect(new Set(sections.map(({ url }) => url)).size).toBe(sections.length);
    const operations = sections.filter(({ url }) => url.startsWith('/docs/reference#'));
    expect(operations.length).toBeGreaterThan(30);
    const lost = sections
      .filter((section) => !operations.includes(section))
      .map(({ url }) => url.split('#'))
      .filter(([page = '', id]) => !pages.get(page)?.includes(id ? ` id="${id}"` : '<h1>'));
    expect(lost).toEqual([]);
  });

  it('lead back and forth through all pages in the order of the list', () => {
    const [, list = ''] = /<nav id="all-pages"([^]*?)<\/nav>/.exec(pages.get('/docs') ?? '') ?? [];
    const order = [...list.matchAll(/href="([^"]+)"/g)].map(([, path]) => path);
    const turn = (page: string, rel: string) => new RegExp(`<a rel="${rel}" href="([^"]+)"`).exec(pages.get(page) ?? '')?.[1];
    expect(turn('/docs', 'next')).toBe(order[0]);
    order.forEach((page = '', place) => {
      // The reference has a page of its own kind.
      if (page !== '/docs/reference') {
        expect([page, turn(page, 'prev'), turn(page, 'next')]).toEqual([page, order[place - 1], order[place + 1]]);
      }
    });
  });
});

describeInBrowser('a guide in a browser', () => {
  const browser = useBrowser(() => service.origin);
  const resultsIn = (page: Page) => page.locator('#results a');

  it('has a search that finds a section of another page and leads to it, by keyboard', async () => {
    const { page } = await browser.open('/docs');
    await page.keyboard.press('/');
    await page.keyboard.type('when the log has gone');
    await resultsIn(page).first().waitFor();
    expect(await resultsIn(page).first().innerText()).toBe('When the log has gone back\nReading events');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${service.origin}/docs/guides/events#when-the-log-has-gone-back`);
    expect(await page.locator(':target').innerText()).toContain('When the log has gone back');
  });

  it('has a search that finds codes of errors, and says when it finds nothing', async () => {
    const { page } = await browser.open(GUIDE);
    await page.fill('#search', 'pet_has_open_order');
    await resultsIn(page).first().waitFor();
    expect(await resultsIn(page).first().getAttribute('href')).toBe('/docs/errors#pet_has_open_order');
    await page.fill('#search', 'xylophone');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.inputValue('#search')).toBe('');
    expect(await page.locator('#all-pages').isVisible()).toBe(true);
  });

  it('has a search that finds operations, and leads to where the reference describes them', async () => {
    const { page } = await browser.open(GUIDE);
    await page.fill('#search', 'PATCH animal');
    await resultsIn(page).first().waitFor();
    expect(await resultsIn(page).first().innerText()).toBe('Change an animal\nPATCH /v1/pets/{petId}');
    await resultsIn(page).first().click();
    await page.waitForURL(`${service.origin}/docs/reference#patch-/pets/-petId-`);
    await page.getByRole('heading', { name: 'Change an animal' }).waitFor();
  });

  it('has buttons that copy code', async () => {
    const { page, context } = await browser.open(GUIDE);
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const block = page.locator('.code').first();
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate('navigator.clipboard.readText()');
    expect(copied).toBe((await block.locator('code').innerText()).trimEnd());
    expect(copied).toContain(`${service.origin}/v1/`);
  });

  it('has headings that lead to themselves, and a list of them', async () => {
    const { page } = await browser.open(GUIDE);
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Read only what has changed' }).click();
    expect(new URL(page.url()).hash).toBe('#read-only-what-has-changed');
    await page.getByRole('heading', { name: 'Change only what you have read' }).getByRole('link').click();
    expect(new URL(page.url()).hash).toBe('#change-only-what-you-have-read');
  });

  it('leads to the next page and back', async () => {
    const { page } = await browser.open(GUIDE);
    await page.getByRole('link', { name: 'Next Orders' }).click();
    await page.waitForURL(`${service.origin}/docs/guides/orders`);
    await page.getByRole('link', { name: 'Previous Repeating requests safely' }).click();
    await page.waitForURL(service.origin + GUIDE);
  });

  it.each(['light', 'dark'] as const)('has nothing serious for axe-core in the %s, with and without results', async (colorScheme) => {
    const { page } = await browser.open(WIDE, { colorScheme });
    await expectNoSeriousFaults(page);
    await page.fill('#search', 'key');
    await resultsIn(page).first().waitFor();
    await expectNoSeriousFaults(page);
  });

  it.each([WIDE, '/docs/guides/first-steps', '/docs/guides/events', '/docs/guides/managing-keys'])(
    'does not scroll sideways at a width of 360 px: %s',
    async (path) => {
      const { page } = await browser.open(path, { viewport: { width: 360, height: 740 } });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    },
  );

  it('shows the list of pages on a telephone when it is asked to', async () => {
    const { page } = await browser.open(GUIDE, { viewport: { width: 360, height: 740 } });
    expect(await page.locator('#all-pages').isVisible()).toBe(false);
    await page.getByRole('link', { name: 'All pages' }).click();
    await page.locator('#all-pages').getByRole('link', { name: 'Webhooks' }).click();
    await page.waitForURL(`${service.origin}/docs/guides/webhooks`);
  });
});
