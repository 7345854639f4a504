import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions, type Page } from 'playwright-core';
import { expectEventually } from '#libs/testing';

/** Debian's Chromium, or the one that `CHROMIUM_PATH` names. */
const EXECUTABLE = process.env['CHROMIUM_PATH'] || '/usr/bin/chromium';

/** Headless Chromium that asks nobody for anything by itself. */
export function startBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: EXECUTABLE,
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-background-networking', '--disable-component-update', '--no-first-run'],
  });
}

/** What a page asked for and what went wrong in it. */
export interface Watched {
  readonly requests: string[];
  readonly problems: string[];
}

function watch(page: Page): Watched {
  const watched: Watched = { requests: [], problems: [] };
  page.on('request', (request) => watched.requests.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') watched.problems.push(message.text());
  });
  page.on('pageerror', (error) => watched.problems.push(error.message));
  return watched;
}

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** A page in a context of its own, such as one of dark colours. */
export interface OpenedPage {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly watched: Watched;
}

/** Opens a page, watched from its first request on. axe-core comes with it from the browser, so the policy of the page stays as it is. */
export async function openPage(browser: Browser, address: string, options: BrowserContextOptions = {}): Promise<OpenedPage> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const watched = watch(page);
  await page.addInitScript({ path: AXE });
  await page.goto(address);
  return { context, page, watched };
}

/**
 * Expects that axe-core finds nothing serious or critical: eventually, since colours that change gradually are too alike for a moment.
 * @param library the selector of a part that a library draws, which is not looked at
 */
export async function expectNoSeriousFaults(page: Page, library?: string): Promise<void> {
  const part = library === undefined ? 'document' : JSON.stringify({ exclude: [library] });
  await expectEventually(async () => {
    const { violations } = await page.evaluate<Pick<AxeResults, 'violations'>>(`axe.run(${part})`);
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
  }, []);
}

/** Those that left this machine for somewhere else than the origin. */
export function requestsElsewhere({ requests }: Watched, origin: string): string[] {
  return requests.filter((url) => !url.startsWith(`${origin}/`) && !url.startsWith('data:') && !url.startsWith('blob:'));
}

const found = existsSync(EXECUTABLE);
if (!found) {
  process.stderr.write('No Chromium at /usr/bin/chromium or CHROMIUM_PATH: the tests in a browser are skipped, and fail in CI.\n');
}

/** In CI a missing browser is a failure; elsewhere it is said and passed over. */
export const describeInBrowser = found || process.env['CI'] ? describe : describe.skip;
