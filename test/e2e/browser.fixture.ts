import { accessSync, constants } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';

const EXECUTABLE = process.env['CHROMIUM_PATH'] || '/usr/bin/chromium';

/** Whether there is a Chromium to test with: Debian's, or the one that `CHROMIUM_PATH` names. */
export function hasBrowser(): boolean {
  try {
    accessSync(EXECUTABLE, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

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

export function watch(page: Page): Watched {
  const watched: Watched = { requests: [], problems: [] };
  page.on('request', (request) => watched.requests.push(request.url()));
  page.on('console', (message) => {
    if (message.type() === 'error') watched.problems.push(message.text());
  });
  page.on('pageerror', (error) => watched.problems.push(error.message));
  return watched;
}
