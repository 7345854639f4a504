import type { Browser } from 'playwright-core';
import { hasBrowser, startBrowser, watch } from './browser.fixture.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';

const found = hasBrowser();
// In CI a missing browser is a failure; elsewhere it is said and passed over.
const describeInBrowser = found || process.env['CI'] ? describe : describe.skip;
if (!found) {
  process.stderr.write('No Chromium at /usr/bin/chromium or CHROMIUM_PATH: the tests in a browser are skipped, and fail in CI.\n');
}

describeInBrowser('the pages in a browser', () => {
  let service: GraphqlService;
  let browser: Browser;
  beforeAll(async () => {
    service = await startGraphqlService();
    await service.addPet('Rex', { status: 'available' });
    browser = await startBrowser();
  });
  afterAll(async () => {
    await browser.close();
    await service.close();
  });

  const localOnly = (requests: readonly string[]) =>
    requests.filter((url) => !url.startsWith(`${service.origin}/`) && !url.startsWith('data:') && !url.startsWith('blob:'));

  it('GraphiQL takes a key and a query and shows the answer, from this machine alone', async () => {
    const page = await browser.newPage();
    const { requests, problems } = watch(page);
    await page.goto(`${service.origin}/graphiql`);
    await page.getByLabel('API key').fill(service.token);
    await page.getByRole('button', { name: 'Use this key' }).click();
    await page.locator('.graphiql-query-editor .CodeMirror').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText('{ pet(id: 1) { name status } }');
    await page.locator('.graphiql-execute-button').click();
    await page.locator('.result-window', { hasText: '"AVAILABLE"' }).waitFor();
    expect(await page.locator('.result-window').innerText()).toMatch(/"name": "Rex"/);

    expect(requests).toContain(`${service.origin}/graphql`);
    expect(localOnly(requests)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
  });

  it('the reference shows the operations, from this machine alone', async () => {
    const page = await browser.newPage();
    const { requests, problems } = watch(page);
    await page.goto(`${service.origin}/docs`);
    await page.locator('.opblock-summary-path', { hasText: '/pets' }).first().waitFor();

    expect(localOnly(requests)).toEqual([]);
    expect(problems).toEqual([]);
    await page.close();
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
