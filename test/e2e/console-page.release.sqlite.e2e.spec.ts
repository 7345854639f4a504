import { once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, expectNoSeriousFaults, startBrowser } from './browser.fixture.js';
import { startConsole, type ConsoleUnderTest } from './console-page.fixture.js';

describeInBrowser('the page of the console', () => {
  let browser: Browser;
  let shown: ConsoleUnderTest;
  beforeAll(async () => (browser = await startBrowser()));
  afterAll(() => browser.close());
  beforeEach(async () => (shown = await startConsole()));
  afterEach(() => shown.close());

  const rowOf = (page: Page, table: string, text: string | RegExp) =>
    page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text });

  it('shows what happens, and says in words that the connection is lost and comes back by itself', async () => {
    const { context, page } = await shown.open(browser);
    await page.getByText('There is no animal yet').waitFor();
    expect(await page.title()).toBe('Ready · Animal adoption service console');
    await shown.keepBusy();
    await rowOf(page, 'Newest events', 'Pet added').first().waitFor();
    await rowOf(page, 'API keys', 'website').filter({ hasText: '/ 1,000,000' }).waitFor();
    await page.locator('[aria-label^="Requests a second, last five minutes. Now: success"]').waitFor();
    await shown.lose();
    const alert = page.getByRole('alert');
    await alert.getByText(/Connection lost since .*: the service cannot be reached/).waitFor();
    expect(await page.title()).toMatch(/^Lost · /);
    await expectNoSeriousFaults(page);
    await shown.comeBack();
    await alert.waitFor({ state: 'hidden' });
    expect(await page.title()).toMatch(/^Ready · /);
    await context.close();
  });

  it('works with its password behind a proxy that strips a prefix', async () => {
    await shown.close();
    shown = await startConsole({ DEPLOYMENT: 'staging', CONSOLE: 'on', CONSOLE_PASSWORD: 'open sesame' });
    const proxy = createServer((incoming, outgoing) => {
      const path = /^\/operators(\/.*)$/.exec(incoming.url ?? '')?.[1];
      if (path === undefined) return outgoing.writeHead(404).end();
      const { method = 'GET', headers } = incoming;
      const passed = sendRequest(shown.origin + path, { method, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      // The page asks once a second, perhaps while the service is closed at the end of a test.
      return passed.on('error', () => outgoing.destroy()).end();
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    const context = await browser.newContext({ httpCredentials: { username: 'anybody', password: 'open sesame' } });
    const page = await context.newPage();
    await page.goto(`http://127.0.0.1:${(proxy.address() as AddressInfo).port}/operators/console`);
    await rowOf(page, 'Projections', 'pets').waitFor();
    await page.locator('.plot canvas').first().waitFor();
    expect(await page.locator('#about').innerText()).toContain('staging');
    await context.close();
    proxy.closeAllConnections();
    proxy.close();
  });
});
