import type { BrowserContextOptions, Page } from 'playwright-core';
import { describeInBrowser, expectNoSeriousFaults, useBrowser } from './browser.fixture.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';

const HOUR_MILLISECONDS = 3_600_000;

describeInBrowser('GraphiQL in a browser', () => {
  let service: GraphqlService;
  const browser = useBrowser(() => service.origin);
  beforeAll(async () => {
    service = await startGraphqlService();
    await service.addPet('Rex', { status: 'available' });
    // Later than the moment at which the browser opens a page, for the example that asks for that moment.
    service.clock.set(new Date(Date.now() + HOUR_MILLISECONDS));
  });
  afterAll(() => service.close());

  const open = (options?: BrowserContextOptions) => browser.open('/graphiql', options);

  it('takes a key and a query and shows the answer, from this machine alone', async () => {
    const { page, watched } = await open();
    await page.getByLabel('API key').fill(service.token);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.locator('.graphiql-query-editor .CodeMirror').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('{ pet(id: 1) { name status } }');
    await page.locator('.graphiql-execute-button').click();
    await page.locator('.result-window', { hasText: '"AVAILABLE"' }).waitFor();
    expect(await page.locator('.result-window').innerText()).toMatch(/"name": "Rex"/);

    expect(watched.requests).toContain(`${service.origin}/graphql`);
  });

  const answer = async (page: Page) => {
    await page.locator('.graphiql-execute-button').click();
    await page.locator('.result-window', { hasText: '"data"' }).waitFor();
    return page.locator('.result-window').innerText();
  };

  it('says what it is, and which command makes a key', async () => {
    const { page } = await open();
    expect(await page.title()).toBe('Animal adoption service: GraphiQL');
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Animal adoption service: GraphiQL');
    expect(await page.locator('#key-help').innerText()).toContain('keys create --name tools --scopes pets,graphql');
  });

  it('has tabs with examples, which answer', async () => {
    const { page } = await open();
    await page.getByLabel('API key').fill(service.token);
    await page.getByRole('button', { name: 'Use this key' }).click();
    for (const [name, part] of [
      ['List', '"totalCount": 1'],
      ['History', '"type": "pet-added"'],
      ['AsOf', '"status": "AVAILABLE"'],
      ['Events', '"type": "pet-added"'],
      ['Keys', '"name": "tools"'],
    ] as const) {
      const tab = page.getByRole('tab', { name, exact: true });
      await tab.click();
      await page.locator(`.graphiql-query-editor`, { hasText: `query ${name}` }).waitFor();
      expect(await tab.getAttribute('aria-selected')).toBe('true');
      const text = await answer(page);
      expect(text).toContain(part);
      expect(text).not.toContain('"errors"');
    }
    expect(await page.getByRole('tab').count()).toBe(5);
  });

  it('keeps the key for the tab alone', async () => {
    const { context, page, watched } = await open();
    await page.getByLabel('API key').fill(service.token);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.reload();
    expect(await page.getByLabel('API key').inputValue()).toBe(service.token);
    expect(await answer(page)).toContain('"name": "Rex"');
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie + location.href')).not.toContain(service.token);
    expect([await context.cookies(), watched.requests.join().includes(service.token)]).toEqual([[], false]);
    const other = await context.newPage();
    await other.goto(`${service.origin}/graphiql`);
    expect(await other.getByLabel('API key').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Forget it' }).click();
    await page.locator('.graphiql-execute-button').click();
    await page.locator('.result-window', { hasText: 'Give an API key' }).waitFor();
  });

  it.each([
    ['light', 1280, ['rgb(244, 246, 248)', 'rgb(255, 255, 255)']],
    ['dark', 1280, ['rgb(26, 33, 48)', 'rgb(33, 42, 59)']],
    ['light', 390, ['rgb(244, 246, 248)', 'rgb(255, 255, 255)']],
    ['dark', 390, ['rgb(26, 33, 48)', 'rgb(33, 42, 59)']],
  ] as const)('in the %s and %d px wide has nothing serious for axe-core, bar and editor alike', async (colorScheme, width, colours) => {
    const { page } = await open({ colorScheme, viewport: { width, height: 800 } });
    await page.getByLabel('API key').fill(service.token);
    await page.getByRole('button', { name: 'Use this key' }).click();
    expect(await answer(page)).toContain('"name": "Rex"');
    const colourOf = (selector: string) => `getComputedStyle(document.querySelector('${selector}')).backgroundColor`;
    expect(await page.evaluate(`[${colourOf('body')}, ${colourOf('.graphiql-editors')}]`)).toEqual(colours);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    const [query, result] = [
      await page.locator('.graphiql-query-editor .CodeMirror').boundingBox(),
      await page.locator('.result-window').boundingBox(),
    ];
    for (const box of [query, result]) expect(box?.width).toBeGreaterThan(300);
    await expectNoSeriousFaults(page);
  });
});

describe('GraphiQL', () => {
  it.each([
    ['development', 200],
    ['staging', 200],
    ['production', 404],
  ])('in %s answers %d', async (deployment, status) => {
    const service = await startGraphqlService({ environment: { DEPLOYMENT: deployment } });
    try {
      const answer = await service.client.get('/graphiql', { key: null });
      expect(answer.status).toBe(status);
      for (const [, file = ''] of answer.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)) {
        expect((await service.client.get(file, { key: null })).status).toBe(200);
      }
    } finally {
      await service.close();
    }
  });
});
