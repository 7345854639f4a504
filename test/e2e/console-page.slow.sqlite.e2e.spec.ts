import { createServer, request as sendRequest, type Server } from 'node:http';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { describeInBrowser, requestsElsewhere, expectNoSeriousFaults, startBrowser } from './browser.fixture.js';
import { startConsole, type ConsoleUnderTest } from './console-page.fixture.js';

/** Within which a lost connection is said, in milliseconds. */
const SAID_WITHIN = 5_000;
const PICTURES = 'reports/console';
/** For pictures of plots that have something to show: those of docs/pictures were taken with 150. */
const BUSY_SECONDS = Number(process.env['CONSOLE_BUSY_SECONDS'] ?? 0);

const showHistory = async (page: Page, stream: string) => {
  await page.getByLabel('Animal’s number or stream').fill(stream);
  await page.keyboard.press('Enter');
  await page.getByRole('list', { name: 'Events, oldest first' }).locator('li').first().waitFor();
};
const rowOf = (page: Page, table: string, text: string) =>
  page.getByRole('table', { name: table }).getByRole('row').filter({ hasText: text });

describeInBrowser('the page of the console', () => {
  let browser: Browser;
  let shown: ConsoleUnderTest;
  beforeAll(async () => (browser = await startBrowser()));
  afterAll(() => browser.close());
  beforeEach(async () => (shown = await startConsole()));
  afterEach(() => shown.close());

  it('shows what happens, from this machine alone', async () => {
    const { context, page, watched } = await shown.open(browser);
    await page.getByText('There is no animal yet').waitFor();
    await page.getByText('No request has come since the start').waitFor();
    expect(await page.title()).toBe('Ready · Animal adoption service console');
    await shown.keepBusy();
    await rowOf(page, 'Newest events', 'Pet added').first().waitFor();
    await rowOf(page, 'API keys', 'website').filter({ hasText: '/ 1,000,000' }).waitFor();
    await page.locator('.statuses, #plots').getByText('404').first().waitFor();
    expect(await rowOf(page, 'Projections', 'pets').innerText()).toMatch(/current/);
    expect(await page.getByRole('table', { name: 'Instances' }).innerText()).toContain(`${process.pid}`);
    for (const module of ['Orders', 'Feed', 'Webhooks']) expect(await page.getByRole('heading', { name: module }).count()).toBe(1);
    await page.locator('[aria-label^="Requests a second, last five minutes. Now: success"]').waitFor();
    for (const title of [
      'Time to answer',
      'Limiter’s decisions',
      'Commits and lock waits',
      'Memory',
      'Event loop',
      'Events and group size',
    ]) {
      expect([title, await page.getByRole('heading', { name: title }).count()]).toEqual([title, 1]);
    }
    expect(requestsElsewhere(watched, shown.origin)).toEqual([]);
    expect(watched.problems).toEqual([]);
    await context.close();
  });

  it('filters the log and tells the history of an animal, with the keyboard alone', async () => {
    await shown.keepBusy();
    const { context, page, watched } = await shown.open(browser);
    const rows = page.getByRole('table', { name: 'Newest events' }).locator('tbody tr');
    await rows.first().waitFor();
    await page.getByRole('combobox', { name: 'Type' }).focus();
    await page.keyboard.type('order-placed');
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(await rows.first().innerText()).toContain('Order placed');
    await page.locator('#log').getByRole('button', { name: 'Clear' }).press('Enter');
    await page.getByLabel('Stream', { exact: true }).fill('pet-2');
    await page.keyboard.press('Enter');
    await rows.filter({ hasText: 'order' }).first().waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'History of pet-2' }).first().press('Enter');
    const moments = page.getByRole('list', { name: 'Events, oldest first' }).locator('li');
    await moments.nth(1).waitFor();
    expect(await moments.first().innerText()).toContain('Pet added');
    expect(await moments.nth(1).innerText()).toMatch(/Mia → Mila/);
    expect(await moments.nth(1).innerText()).toContain('by api-key-2');
    await moments.nth(1).getByRole('button', { name: 'History of api-key-2' }).press('Enter');
    await moments.filter({ hasText: 'API key issued' }).first().waitFor();
    expect(await page.getByLabel('Animal’s number or stream').inputValue()).toBe('api-key-2');
    await page.getByLabel('Animal’s number or stream').fill('1');
    await page.keyboard.press('Enter');
    await moments.filter({ hasText: 'order-1' }).first().waitFor();
    await page.getByLabel('Animal’s number or stream').fill('nonsense');
    await page.keyboard.press('Enter');
    await page.getByText('stream must be the name of a stream, such as pet-7').waitFor();
    await page.getByLabel('Animal’s number or stream').fill('999');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing has happened to pet-999').waitFor();
    expect(page.url()).toBe(`${shown.origin}/console`);
    expect(watched.problems).toEqual([expect.stringContaining('400')]);
    await context.close();
  });

  it('finds keys by their filters and plots the usage of one, with the keyboard alone', async () => {
    await shown.keepBusy();
    await shown.ban();
    const { context, page, watched } = await shown.open(browser);
    const rows = page.getByRole('table', { name: 'API keys' }).locator('tbody tr');
    await rows.nth(3).waitFor();
    const form = page.getByRole('search', { name: 'API keys' });
    await form.getByLabel('Name').fill('SITE');
    await page.keyboard.press('Enter');
    await page.getByText('1 key fits.').waitFor();
    expect(await rows.count()).toBe(1);
    expect(await rows.innerText()).toContain('website');

    const button = rows.getByRole('button', { name: /^Usage of website, key \d+$/ });
    await button.press('Enter');
    const plot = page.getByRole('figure', { name: /^Requests of website/ });
    await plot.getByRole('img', { name: /^Requests of each day\. .* in 30 days/ }).waitFor();
    await plot.locator('canvas').waitFor();
    expect(await button.getAttribute('aria-expanded')).toBe('true');
    await expectNoSeriousFaults(page);
    await page.keyboard.press('Escape');
    await plot.waitFor({ state: 'detached' });
    await button.press('Enter');
    await plot.getByRole('button', { name: 'Close' }).press('Enter');
    await plot.waitFor({ state: 'detached' });
    expect(await button.evaluate('document.activeElement.getAttribute("aria-label")')).toMatch(/^Usage of website/);

    await form.getByLabel('Used above').fill('much');
    await page.keyboard.press('Enter');
    await page.getByText('Not shown: above must be a whole number from 0 to 99.').waitFor();
    await form.getByRole('button', { name: 'Clear' }).press('Enter');
    await rows.nth(3).waitFor();
    await form.getByLabel('State').selectOption('banned');
    await rows.nth(1).waitFor({ state: 'detached' });
    expect(await rows.innerText()).toMatch(/scraper[^]*It continued to send after 429 responses\./);
    expect(requestsElsewhere(watched, shown.origin)).toEqual([]);
    expect(watched.problems.filter((problem) => !problem.includes('400'))).toEqual([]);
    await context.close();
  });

  it('keeps focus and selection while its figures change and its rows move', async () => {
    await shown.keepBusy();
    const { context, page } = await shown.open(browser);
    const row = rowOf(page, 'API keys', 'website');
    await row.locator('b').selectText();
    await page.getByRole('group', { name: 'Projections' }).focus();
    const kept = () => page.evaluate('[getSelection().toString(), document.activeElement.getAttribute("aria-label")]');
    expect(await kept()).toEqual(['website', 'Projections']);
    await shown.ban();
    await page.getByRole('table', { name: 'API keys' }).getByRole('row').nth(1).filter({ hasText: 'scraper' }).waitFor();
    expect(await kept()).toEqual(['website', 'Projections']);
    await context.close();
  });

  it('tells a ban with its end, and a rebuild apart from a lag', async () => {
    await shown.keepBusy();
    await shown.ban();
    await shown.rebuildTo(40);
    const { context, page } = await shown.open(browser);
    await rowOf(page, 'API keys', 'scraper')
      .filter({ hasText: /banned.*1[45] min.* left, step 2/s })
      .waitFor();
    const pets = rowOf(page, 'Projections', 'pets');
    await pets.filter({ hasText: 'rebuilding' }).waitFor();
    expect(await pets.getByRole('progressbar').getAttribute('aria-label')).toBe('Rebuild of pets');
    expect(await pets.locator('[data-title="Lag"]').innerText()).toBe('0');
    await pets.filter({ hasText: 'remaining time not known yet' }).waitFor();
    await shown.rebuildTo(70);
    await pets.filter({ hasText: /\d+\.\d %, about .* left/ }).waitFor();
    await pets.filter({ hasText: 'stands still' }).waitFor();
    await context.close();
  });

  it('says in words that the connection is lost, and comes back by itself', async () => {
    await shown.keepBusy();
    const { context, page } = await shown.open(browser);
    await rowOf(page, 'Newest events', 'Pet added').first().waitFor();
    await shown.lose();
    await page
      .getByRole('alert')
      .getByText(/Connection lost since .*: the service cannot be reached/)
      .waitFor({ timeout: SAID_WITHIN });
    expect(await page.title()).toMatch(/^Lost · /);
    await page.getByText(/All figures below are old/).waitFor();
    await shown.comeBack();
    await page.getByRole('alert').waitFor({ state: 'hidden' });
    expect(await page.title()).toMatch(/^Ready · /);
    await context.close();
  });

  it.each(['light', 'dark'] as const)('is without serious faults for axe-core, and within 360 px, in %s colours', async (colorScheme) => {
    await shown.keepBusy();
    await shown.ban();
    await shown.rebuildTo(40);
    const { context, page } = await shown.open(browser, { colorScheme, viewport: { width: 360, height: 740 } });
    await rowOf(page, 'Newest events', 'Pet added').first().waitFor();
    await showHistory(page, '1');
    await page.getByRole('button', { name: /^Usage of website/ }).press('Enter');
    await page
      .getByRole('figure', { name: /^Requests of website/ })
      .locator('canvas')
      .waitFor();
    await expectNoSeriousFaults(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await shown.lose();
    await page.getByRole('alert').getByText('Connection lost').waitFor({ timeout: SAID_WITHIN });
    await expectNoSeriousFaults(page);
    await context.close();
  });

  describe('behind a proxy that strips a prefix', () => {
    let proxy: Server;
    let address: string;
    beforeEach(async () => {
      proxy = createServer((incoming, outgoing) => {
        const path = /^\/operators(\/.*)$/.exec(incoming.url ?? '')?.[1];
        if (path === undefined) return outgoing.writeHead(404).end();
        const { method, headers } = incoming;
        const passed = sendRequest(shown.origin + path, { method: method ?? 'GET', headers }, (answer) => {
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        });
        // The page asks once a second, perhaps while the service is closed at the end of a test.
        return passed.on('error', () => outgoing.destroy()).end();
      }).listen(0, '127.0.0.1');
      await once(proxy, 'listening');
      address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/operators/console`;
    });
    afterEach(() => {
      proxy.closeAllConnections();
      proxy.close();
    });

    it.each(['', '/'])('works with %p at the end', async (end) => {
      const context = await browser.newContext();
      const page = await context.newPage();
      await page.goto(address + end);
      await rowOf(page, 'Projections', 'pets').waitFor();
      await page.locator('.plot canvas').first().waitFor();
      expect(await page.evaluate('getComputedStyle(document.body).fontFamily')).toContain('system-ui');
      await context.close();
    });
  });

  it('asks for its password once, and shows all with it', async () => {
    await shown.close();
    shown = await startConsole({ DEPLOYMENT: 'staging', CONSOLE: 'on', CONSOLE_PASSWORD: 'open sesame' });
    const httpCredentials = { username: 'anybody', password: 'open sesame' };
    const { context, page } = await shown.open(browser, { httpCredentials });
    await rowOf(page, 'Projections', 'pets').waitFor();
    expect(await page.locator('#about').innerText()).toContain('staging');
    await context.close();
  });

  describe('is pictured', () => {
    const looks: readonly (readonly [state: string, prepare: () => Promise<void>])[] = [
      ['empty', () => Promise.resolve()],
      ['busy', () => shown.keepBusy(BUSY_SECONDS)],
      ['banned', async () => (await shown.keepBusy(), shown.ban())],
      ['rebuilding', async () => (await shown.keepBusy(BUSY_SECONDS), shown.rebuildTo(40))],
      ['lost', () => shown.keepBusy()],
    ];
    const isForReadme = BUSY_SECONDS > 0;
    let percent = 40;
    /** A build that does not go on would be told to stand still. */
    const goOn = async (page: Page) => {
      await shown.rebuildTo((percent += 10));
      await rowOf(page, 'Projections', 'pets').filter({ hasText: 'left' }).waitFor();
    };
    beforeAll(() => mkdirSync(PICTURES, { recursive: true }));

    it.each(looks)(
      '%s, light and narrow, dark and wide',
      async (state, prepare) => {
        await prepare();
        const isBusy = state === 'busy' || state === 'rebuilding';
        const goingOn = isBusy ? shown.keepBusy(BUSY_SECONDS / 15) : Promise.resolve();
        for (const colorScheme of ['light', 'dark'] as const) {
          for (const width of isForReadme ? [360, 1_280] : [colorScheme === 'light' ? 360 : 1_280]) {
            const { page, context } = await shown.open(browser, { colorScheme, viewport: { width, height: 800 } });
            if (state !== 'empty') await rowOf(page, 'Newest events', 'Pet added').first().waitFor();
            if (state === 'lost') await shown.lose();
            if (state === 'lost') await page.getByRole('alert').getByText('Connection lost').waitFor();
            if (isBusy) await showHistory(page, '2');
            if (state === 'rebuilding') await goOn(page);
            const picture = await page.screenshot({ path: `${PICTURES}/${state}-${colorScheme}-${width}.png`, fullPage: true });
            expect(picture.length).toBeGreaterThan(20_000);
            await context.close();
            if (state === 'lost') await shown.comeBack();
          }
        }
        await goingOn;
      },
      60_000 + BUSY_SECONDS * 2_000,
    );
  });
});
