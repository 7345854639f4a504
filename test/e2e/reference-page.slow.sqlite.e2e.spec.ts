import { readFileSync } from 'node:fs';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { describeInBrowser, expectNoSeriousFaults, useBrowser, type Watched } from './browser.fixture.js';
import { startService, type Service } from './service.fixture.js';

interface Operation {
  readonly summary: string;
}

const { paths, webhooks } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Record<
  'paths' | 'webhooks',
  Record<string, Record<string, Operation>>
>;
const summaries = Object.values({ ...paths, ...webhooks }).flatMap((item) => Object.values(item).map(({ summary }) => summary));
const PAGE = '/docs/reference';
const LARGE = '9223372036854775807';

describeInBrowser('the reference page', () => {
  let service: Service;
  let key = '';
  const browser = useBrowser(() => service.origin);
  let context: BrowserContext;
  let page: Page;
  let watched: Watched;
  const open = async (hash = '', options: BrowserContextOptions = {}) => {
    ({ context, page, watched } = await browser.open(`${PAGE}${hash}`, { viewport: { width: 1280, height: 800 }, ...options }));
    await page.getByText('List animals').first().waitFor({ state: 'attached' });
  };
  const enterKey = async () => {
    await page.getByText('Authentication', { exact: true }).first().click();
    await page.locator('.api-key-input').fill(key);
    await page.getByRole('button', { name: 'SET' }).click();
    await page.getByText('1 API key applied').waitFor();
  };
  const item = (operation: string) => page.locator('.nav-bar-path', { hasText: operation });
  const send = async (operation: string) => {
    await item(operation).click();
    await page.getByRole('button', { name: 'TRY' }).click();
  };

  beforeAll(async () => {
    service = await startService();
    key = (await service.issueKey({ scopes: ['pets', 'pets:write'] })).token;
  });
  afterAll(() => service.close());

  it('lists every operation and webhook, the groups in the order of the document', async () => {
    await open();
    const listed = await page.locator('.nav-bar-path').allInnerTexts();
    expect(listed.map((text) => text.replace(/^WEBHOOK\s+/i, '').trim()).toSorted()).toEqual(summaries.toSorted());
    const groups = await page.locator('.nav-bar-tag').allInnerTexts();
    expect(groups.map((text) => text.trim()).slice(0, 5)).toEqual(['Animals', 'Orders', 'API Keys', 'Events', 'Webhooks']);
  });

  it('shows samples for the host it is read at, and finds operations by a word', async () => {
    await open('#get-/pets');
    expect(await page.locator('.section-operation-tag, [part="section-operation-tag"]').first().textContent()).toContain('Animals');
    await page.getByText('Python', { exact: true }).click();
    expect(await page.getByText('urlopen(request)').innerText()).toContain(`"${service.origin}/v1/pets"`);
    await page.getByPlaceholder('Filter').fill('withdraw');
    await page.keyboard.press('Enter');
    await item('List animals').waitFor({ state: 'hidden' });
    expect(await item('Withdraw an animal').isVisible()).toBe(true);
  });

  it('sends a request with the key, and shows every digit of the response', async () => {
    await service.client.post('/v1/pets', `{"name":"Rex","categoryId":${LARGE}}`);
    await open();
    await enterKey();
    await send('List animals');
    await page.getByText('Response Status: OK:200').waitFor();
    expect(await page.locator('api-request pre').first().innerText()).toContain(`"categoryId": ${LARGE}`);
  });

  it('keeps the key in memory only', async () => {
    await open();
    await enterKey();
    await send('List animals');
    await page.getByText('Response Status: OK:200').waitFor();
    const stored = 'JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.cookie + location.href';
    expect(await page.evaluate(stored)).not.toContain(key);
    expect(await context.cookies()).toEqual([]);
    expect(watched.requests.join('\n')).not.toContain(key);
    await page.reload();
    await page.getByText('Authentication', { exact: true }).first().click();
    await page.getByText('No API key applied').waitFor();
  });

  it.each(['light', 'dark'] as const)('has nothing serious for axe-core in the %s', async (colorScheme) => {
    await open('#get-/pets', { colorScheme });
    await page.getByRole('button', { name: 'TRY' }).click();
    await page.getByText('Response Status: Unauthorized:401').waitFor();
    await expectNoSeriousFaults(page);
    await item('Add an animal').click();
    // What will be sent is there to be changed.
    await page.locator('textarea').first().waitFor();
    expect(await page.locator('textarea').first().inputValue()).toContain('"name": "Rex"');
    await expectNoSeriousFaults(page);
    await page.getByText('SCHEMA', { exact: true }).first().click();
    await page.getByText('An animal to be added.').first().waitFor();
    await expectNoSeriousFaults(page);
    // The browser reports the 401.
    expect(watched.problems.splice(0)).toEqual([expect.stringContaining('401')]);
    const background = await page.evaluate<string>("getComputedStyle(document.querySelector('rapi-doc')).backgroundColor");
    expect(background).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(18, 23, 29)');
  });

  it('does not scroll sideways at a width of 360 px', async () => {
    await open('', { viewport: { width: 360, height: 740 } });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  it('opens the operation that its address names', async () => {
    await open('#get-/store/inventory');
    await page.getByRole('heading', { name: 'Count the animals' }).waitFor();
  });
});

describe('the reference page', () => {
  it.each([
    ['development', true],
    ['staging', true],
    ['production', false],
  ])('in %s sends requests: %s', async (deployment, sends) => {
    const service = await startService({ environment: { DEPLOYMENT: deployment } });
    try {
      const { text, headers } = await service.client.get(PAGE, { key: null });
      expect(text).toContain(`allow-try="${sends}"`);
      expect(text).toContain(`allow-authentication="${sends}"`);
      expect(headers['content-security-policy']).toMatch(/script-src 'self';/);
    } finally {
      await service.close();
    }
  });
});
