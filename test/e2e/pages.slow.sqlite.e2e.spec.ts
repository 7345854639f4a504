import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expectEventually } from '#libs/testing';
import { describeInBrowser, expectNoSeriousFaults, openPage, requestsElsewhere, startBrowser, type OpenedPage } from './browser.fixture.js';
import { startConsole, type ConsoleUnderTest } from './console-page.fixture.js';

const LARGE = '9223372036854775807';
const KEPT = 'JSON.stringify(localStorage) + document.cookie + location.href';

describeInBrowser('each page in a browser', () => {
  let browser: Browser;
  let shown: ConsoleUnderTest;
  let origin: string;
  let key: string;
  let opened: OpenedPage | undefined;
  beforeAll(async () => {
    browser = await startBrowser();
    shown = await startConsole();
    ({ origin } = shown.service);
    ({ token: key } = await shown.service.issueKey({ name: 'tools', scopes: ['pets', 'pets:write', 'graphql', 'events'] }));
    await shown.keepBusy();
    await shown.service.client.post('/v1/pets', `{"name":"Large","categoryId":${LARGE}}`);
  });
  afterAll(async () => {
    await browser.close();
    await shown.close();
  });
  afterEach(async () => {
    await opened?.context.close();
    opened = undefined;
  });

  const open = async (path: string, options: BrowserContextOptions = {}, at = origin) =>
    (opened = await openPage(browser, at + path, options));
  /** What is true of every page when it has been used. */
  const expectQuiet = ({ watched }: OpenedPage, at = origin) => {
    expect(requestsElsewhere(watched, at)).toEqual([]);
    expect(watched.problems).toEqual([]);
    expect(watched.requests.join('\n')).not.toContain(key);
  };

  it.each<[path: string, ready: string]>([
    ['/', 'h1'],
    ['/docs', 'h1'],
    ['/docs/guides/graphql', '.code'],
    ['/docs/errors', '#not_found'],
    ['/docs/reference#/pets/listPets', '#operations-pets-listPets.is-open'],
    ['/graphiql', '.graphiql-query-editor .CodeMirror'],
    ['/console', '#main:not([hidden])'],
  ])(
    '%s opens without a fault, without anybody else, and has nothing serious for axe-core at 390 px, dark, and at 1280 px, light',
    async (path, ready) => {
      const at = path === '/console' ? shown.origin : origin;
      const one = await open(path, { viewport: { width: 390, height: 800 }, colorScheme: 'dark' }, at);
      const { page } = one;
      await page.locator(ready).first().waitFor({ state: 'attached' });
      if (path === '/console') await page.getByRole('row').filter({ hasText: 'pet-added' }).first().waitFor();
      // Swagger UI has colours of little contrast and lists to choose from without a name.
      const library = path.startsWith('/docs/reference') ? '#swagger-ui' : undefined;
      const width = () => page.evaluate('document.documentElement.scrollWidth');
      await expectNoSeriousFaults(page, library);
      expect(await width()).toBe(390);
      await page.setViewportSize({ width: 1_280, height: 800 });
      await page.emulateMedia({ colorScheme: 'light' });
      await expectNoSeriousFaults(page, library);
      await expectEventually(width, 1_280);
      expectQuiet(one, at);
    },
  );

  it('the guides are searched and copied from, with the keyboard', async () => {
    const one = await open('/docs');
    const { page, context } = one;
    await page.keyboard.press('/');
    await page.keyboard.type('when the log has gone');
    await page.locator('#found a').first().waitFor();
    await expectNoSeriousFaults(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${origin}/docs/guides/events#when-the-log-has-gone-back`);
    expect(await page.locator(':target').innerText()).toContain('When the log has gone back');
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const block = page.locator('.code').first();
    await block.getByRole('button', { name: 'Copy' }).click();
    await block.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe((await block.locator('code').innerText()).trimEnd());
    expectQuiet(one);
  });

  it('the reference sends a request, shows every digit, and keeps the key in memory only', async () => {
    const one = await open('/docs/reference', { viewport: { width: 1_280, height: 800 } });
    const { page, context } = one;
    await page.getByRole('button', { name: 'Authorize' }).click();
    await page.locator('.auth-container input').fill(key);
    await page.locator('.auth-container').getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).first().click();
    await page.getByRole('searchbox').fill('list animals');
    await page.locator('#found a', { hasText: 'GET /v1/pets' }).first().click();
    const operation = page.locator('#operations-pets-listPets.is-open');
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table', { hasText: `"categoryId": ${LARGE}` }).waitFor();
    expect(await page.evaluate(`${KEPT} + JSON.stringify(sessionStorage)`)).not.toContain(key);
    expect(await context.cookies()).toEqual([]);
    expectQuiet(one);
  });

  it('GraphiQL has examples that answer, and keeps the key for the tab alone', async () => {
    const one = await open('/graphiql', { viewport: { width: 1_280, height: 800 } });
    const { page, context } = one;
    await giveKey(page);
    await page.getByRole('tab', { name: 'Keys', exact: true }).click();
    await page.locator('.graphiql-query-editor', { hasText: 'query Keys' }).waitFor();
    await page.locator('.graphiql-execute-button').click();
    await page.locator('.result-window', { hasText: '"name": "tools"' }).waitFor();
    await expectNoSeriousFaults(page);
    await page.reload();
    expect(await page.getByLabel('API key').inputValue()).toBe(key);
    expect(await page.evaluate(KEPT)).not.toContain(key);
    expect(await context.cookies()).toEqual([]);
    const other = await context.newPage();
    await other.goto(`${origin}/graphiql`);
    expect(await other.getByLabel('API key').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Forget it' }).click();
    await page.locator('.graphiql-execute-button').click();
    await page.locator('.result-window', { hasText: 'Give an API key' }).waitFor();
    expectQuiet(one);
  });

  const giveKey = async (page: Page) => {
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Use this key' }).click();
  };
});
