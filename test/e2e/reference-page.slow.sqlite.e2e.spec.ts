import { readFileSync } from 'node:fs';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { describeInBrowser, seriousFaults, useBrowser, type Watched } from './browser.fixture.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { startService } from './service.fixture.js';

interface Operation {
  readonly operationId: string;
}

const { paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as { paths: Record<string, Record<string, Operation>> };
const described = Object.values(paths).flatMap((item) =>
  Object.entries(item).map(([method, { operationId }]) => ({ method, operationId })),
);
const shown = described.filter(({ method }) => method !== 'options').map(({ operationId }) => operationId);

const LARGE = '9223372036854775807';

describeInBrowser('the reference page', () => {
  let service: GraphqlService;
  const browser = useBrowser(() => service.origin);
  let context: BrowserContext;
  let page: Page;
  let watched: Watched;
  const opened = (id: string) => page.locator(`[data-operation="${id}"]`);
  const open = async (options: BrowserContextOptions = {}) => {
    const viewport = { width: 1280, height: 800 };
    ({ context, page, watched } = await browser.open('/docs', { viewport, ...options }));
  };

  /** What an expression gives for each `element` that a selector names. */
  const each = (selector: string, expression: string) =>
    page.evaluate<string[]>(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((element) => String(${expression}))`);
  const hasFocus = (selector: string) => page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`);

  beforeAll(async () => (service = await startGraphqlService()));
  afterAll(() => service.close());

  it('shows every operation of the document but OPTIONS, each at most 1,600 px high when it is open', async () => {
    await open();
    expect((await each('[data-operation]', 'element.dataset.operation')).toSorted()).toEqual(shown.toSorted());
    await each('[data-operation]', 'element.open = true');
    const heights = (await each('[data-operation]', 'element.getBoundingClientRect().height')).map(Number);
    expect(Math.min(...heights)).toBeGreaterThan(200);
    expect(Math.max(...heights)).toBeLessThanOrEqual(1600);
  });

  it('shows the samples of the document, and the command for this host', async () => {
    await open();
    await opened('listPets').locator('summary').first().click();
    await opened('listPets').getByText('Python', { exact: true }).click();
    expect(await opened('listPets').locator('[data-sample="Python"]').innerText()).toMatch(/urlopen/);
    await opened('listPets').getByText('curl', { exact: true }).click();
    await opened('listPets').getByLabel('status', { exact: false }).fill('sold');
    expect(await opened('listPets').locator('[data-sample="curl"]').innerText()).toBe(
      `curl '${service.origin}/v1/pets?status=sold' \\\n  -H "Authorization: Bearer $ADOPTION_KEY"`,
    );
  });

  it('sends a request that was filled in by keyboard alone, and shows every digit of the answer', async () => {
    await open();
    const name = "Rex O'Hara";
    await reach('#key');
    await page.keyboard.type(service.token);
    await reach('[data-operation="createPet"] > summary');
    await page.keyboard.press('Enter');
    await reach('[data-operation="createPet"] textarea');
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(`{"name":"${name}","categoryId":${LARGE}}`);
    await reach('[data-operation="createPet"] .send');
    await page.keyboard.press('Enter');
    await opened('createPet').locator('.result', { hasText: '201 Created' }).waitFor();
    expect(await opened('createPet').locator('.result').innerText()).toContain(`"categoryId": ${LARGE}`);
    const { nodes } =
      (await service.ask<{ pets: { nodes: { name: string }[] } }>('{ pets(first: 100) { nodes { name } } }')).data?.pets ?? {};
    expect(nodes).toContainEqual({ name });
  });

  /** Goes on with the tab key until the element has the focus. */
  async function reach(selector: string): Promise<void> {
    for (let presses = 0; presses < 120; presses += 1) {
      if (await hasFocus(selector)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`The tab key does not reach ${selector}.`);
  }

  it('keeps the key for the tab alone, and shows a variable in its place', async () => {
    await open();
    await page.getByLabel('API key').fill(service.token);
    await page.reload();
    expect(await page.getByLabel('API key').inputValue()).toBe(service.token);
    await opened('listPets').locator('summary').first().click();
    await opened('listPets').locator('.send').click();
    await opened('listPets').locator('.result', { hasText: '200 OK' }).waitFor();

    expect(await page.content()).not.toContain(service.token);
    expect(await page.evaluate('JSON.stringify(localStorage) + document.cookie + location.href')).not.toContain(service.token);
    expect(await context.cookies()).toEqual([]);
    expect(watched.requests.join('\n')).not.toContain(service.token);
    const other = await context.newPage();
    await other.goto(`${service.origin}/docs`);
    expect(await other.getByLabel('API key').inputValue()).toBe('');
    await page.getByRole('button', { name: 'Forget it' }).click();
    await page.reload();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
  });

  it.each(['light', 'dark'] as const)('has nothing serious for axe-core in the %s', async (colorScheme) => {
    await open({ colorScheme });
    // Others look alike; all of them at once take axe-core half a minute.
    for (const id of ['readEvents', 'createPet', 'getPet']) {
      await each(`[data-operation="${id}"], [data-operation="${id}"] details`, "element.setAttribute('open', '')");
    }
    await opened('createPet').locator('.send').click();
    await opened('createPet').locator('.result', { hasText: '401' }).waitFor();
    expect(await seriousFaults(page)).toEqual([]);
    // The browser tells of the refusal.
    expect(watched.problems.splice(0)).toEqual([expect.stringContaining('401')]);
    const background = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    expect(background).toBe(colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(18, 23, 29)');
  });

  it('does not scroll sideways at a width of 360 px', async () => {
    await open({ viewport: { width: 360, height: 740 } });
    await each('details', "element.setAttribute('open', '')");
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  });

  it('opens what its address names', async () => {
    await open();
    await page.goto(`${service.origin}/docs#getInventory`);
    expect(await opened('getInventory').getAttribute('open')).toBe('');
    await page.reload();
    expect(await opened('getInventory').getAttribute('open')).toBe('');
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
      const { text } = await service.client.get('/docs', { key: null });
      expect(text).toContain('data-operation="listPets"');
      expect([text.includes('id="key"'), text.includes('class="send"'), text.includes('<input')]).toEqual([sends, sends, sends]);
    } finally {
      await service.close();
    }
  });
});
