import { once } from 'node:events';
import { get, type IncomingMessage, type RequestOptions } from 'node:http';
import { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { createLogger } from '#libs/observability';
import { Database, sql } from '#libs/database';
import { BanApiKey, ChangeApiKey, ImposeBan } from '../../src/auth/index.js';
import { composition } from '../../src/bootstrap/composition.js';
import { createWorkingDirectory, startBuiltService } from './built-service.fixture.js';
import { startWatchedService, type ShownEvent, type WatchedService } from './console.fixture.js';

const PETS = '/v1/pets';
const REX = { name: 'Rex', categoryId: 7, status: 'available' };
const metadata = { actor: 'system' } as const;

describe('what the console shows', () => {
  let service: WatchedService;
  beforeEach(async () => (service = await startWatchedService()));
  afterEach(() => service.close());

  it('is the service, how it is, and what it has', async () => {
    const data = await service.data();
    expect(data.now).toBe(service.clock.now().getTime());
    expect(data.service).toMatchObject({ version: '1.0.0', deployment: 'development', process: process.pid, node: process.version });
    expect(data.health).toMatchObject({ status: 'ready', draining: false });
    expect(data.health.parts).toContainEqual({ name: 'database', state: 'ready' });
    expect(data.limiter).toMatchObject({ counting: expect.any(String), tracked: { addresses: 0 } });
    expect(data.instances).toContainEqual(expect.objectContaining({ process: process.pid, version: '1.0.0', here: true }));
    expect(data.projections).toContainEqual({
      name: 'pets',
      version: expect.any(Number),
      state: 'current',
      position: '0',
      lag: '0',
      rebuild: null,
    });
    expect(data.modules.map(({ name }) => name)).toEqual(['feed', 'orders', 'webhooks']);
  });

  it('is requests, decisions, commits and the process of each second', async () => {
    await service.client.post(PETS, REX);
    await service.client.get(PETS);
    await service.client.get('/v1/nothing');
    const { points, statuses } = await service.dataWhere(({ points: { columns, rows } }) =>
      rows.some((row) => Number(row[columns.indexOf('success')]) > 0),
    );
    const sums = Object.fromEntries(
      points.columns.map((column, index) => [column, points.rows.reduce((sum, row) => sum + Number(row[index]), 0)]),
    );
    for (const column of ['clientError', 'p50', 'p99', 'admitted', 'events', 'groupSize', 'commitP99', 'memory', 'heap', 'loopUse']) {
      expect([column, Number(sums[column]) > 0]).toEqual([column, true]);
    }
    expect([sums['serverError'], sums['banned']]).toEqual([0, 0]);
    expect(statuses).toEqual([
      { status: '200', total: 1 },
      { status: '201', total: 1 },
      { status: '404', total: 1 },
    ]);
  });

  it('leaves out seconds that a page has, and gives all to a page of another start', async () => {
    const { points } = await service.dataWhere(({ points: { last } }) => last > 1);
    const known = points.last - 1;
    const since = await service.data(known);
    expect(since.points.rows).toHaveLength(since.points.last - known);
    expect(since.points.rows[0]).toEqual(points.rows.at(-1));
    for (const after of [1_000_000, -1, NaN]) {
      expect((await service.data(after)).points.rows.length).toBeGreaterThanOrEqual(points.rows.length);
    }
  });

  it('is the keys with what they have used, the latest used first, and their bans', async () => {
    const [idle, revoked, busy] = [
      await service.issueKey(),
      await service.issueKey(),
      await service.issueKey({ plan: 'pro', name: 'busy' }),
    ];
    await service.app.get(CommandBus).execute(new ChangeApiKey({ type: 'revoke', id: revoked.id }, { metadata }));
    service.clock.advance(60_000);
    await service.client.get(PETS, { key: busy.token });
    const isCounted = (used: number) => (each: { readonly id: string; readonly minute: { readonly used: number } }) =>
      each.id === String(busy.id) && each.minute.used === used;
    const { keys } = await service.dataWhere((data) => data.keys?.items.some(isCounted(1)) ?? false);
    expect(keys?.total).toBe(4);
    expect(keys?.items[0]).toMatchObject({ id: String(busy.id), name: 'busy', plan: 'pro', state: 'active', ban: null });
    expect(keys?.items[0]).toMatchObject({
      minute: { limit: 300, used: 1 },
      day: { limit: 10_000, used: 1 },
      lastUsedAt: '2026-06-01T12:01:00.000Z',
    });
    expect(keys?.items.slice(1).map(({ id, state, lastUsedAt }) => [id, state, lastUsedAt])).toEqual([
      ['1', 'active', null],
      [String(idle.id), 'active', null],
      [String(revoked.id), 'revoked', null],
    ]);
    const until = new Date(service.clock.now().getTime() + 60_000);
    await service.app.get(CommandBus).execute(new BanApiKey({ id: busy.id, until, step: 1, unbans: 0, metadata }));
    const banned = await service.dataWhere((data) => data.keys?.items[0]?.ban !== null);
    expect(banned.keys?.items[0]).toMatchObject({
      state: 'banned',
      ban: { until: until.toISOString(), step: 1, reason: 'It continued to send after 429 responses.' },
    });
  });

  it('is the keys that a search finds, by each filter and by all of them', async () => {
    const owner = 'Happy Paws GmbH';
    const shop = await service.issueKey({ plan: 'pro', name: 'Shop of paws', owner });
    const trial = await service.issueKey({ plan: 'free', name: 'Trial', owner });
    const other = await service.issueKey({ plan: 'free', name: 'Other', owner: 'Happy Paws' });
    await service.app.get(CommandBus).execute(new ChangeApiKey({ type: 'revoke', id: other.id }, { metadata }));
    await service.app.get(CommandBus).execute(new ImposeBan(trial.id, { seconds: 60, reason: 'It runs wild.' }, { metadata }));
    const names = async (query: string) => (await service.keys(query)).items.map(({ name }) => name);
    expect(await names('')).toEqual(['test', 'Shop of paws', 'Trial', 'Other']);
    expect(await names('name=PAWS&owner=')).toEqual(['Shop of paws']);
    expect(await names('name=%25')).toEqual([]);
    expect(await names('owner=Happy+Paws')).toEqual(['Other']);
    expect(await names(`owner=${encodeURIComponent(owner)}&plan=free`)).toEqual(['Trial']);
    expect(await names('status=revoked')).toEqual(['Other']);
    expect(await names('status=active&plan=enterprise')).toEqual(['test']);
    expect((await service.keys('status=banned')).items).toEqual([
      {
        ...{ id: String(trial.id), name: 'Trial', owner, plan: 'free', scopes: expect.any(Array), state: 'banned', lastUsedAt: null },
        minute: expect.objectContaining({ limit: 60, used: 0 }),
        day: expect.objectContaining({ limit: 1_000, used: 0 }),
        ban: { until: '2026-06-01T12:01:00.000Z', step: expect.any(Number), reason: 'It runs wild.' },
      },
    ]);
    for (let request = 0; request < 3; request += 1) await service.client.get(PETS, { key: shop.token });
    while ((await service.keys('above=0')).items[0]?.day.used !== 3) await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await names('above=0')).toEqual(['Shop of paws']);
    expect(await names('above=1')).toEqual([]);
  });

  it('is 50 keys of a search at most, and whether there are more', async () => {
    for (let key = 0; key < 50; key += 1) await service.issueKey({ name: 'many' });
    const all = await service.keys('name=many');
    expect([all.items.length, all.more]).toEqual([50, false]);
    await service.issueKey({ name: 'many' });
    const first = await service.keys('name=many');
    expect([first.items.map(({ id }) => id), first.more]).toEqual([all.items.map(({ id }) => id), true]);
  });

  it('is the requests and refusals of a key in 30 UTC days', async () => {
    const { id, token } = await service.issueKey({ plan: 'enterprise', perMinute: 2, perDay: 10 });
    for (let request = 0; request < 3; request += 1) await service.client.get(PETS, { key: token });
    let usage = await service.usage(id);
    while (usage.days.at(-1)?.requests !== 2) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      usage = await service.usage(id);
    }
    expect([usage.id, usage.days.length]).toEqual([String(id), 30]);
    expect(usage.days[0]).toEqual({ date: '2026-05-03', requests: 0, refusals: 0 });
    expect(usage.days.at(-1)).toEqual({ date: '2026-06-01', requests: 2, refusals: 1 });
  });

  it('is a rebuild beside the tables that serve, and tables that lag behind', async () => {
    for (let index = 0; index < 4; index += 1) await service.client.post(PETS, REX);
    const database = service.app.get(Database);
    const set = (name: string, values: ReturnType<typeof sql>) =>
      database.write((transaction) => transaction.query(sql`UPDATE "projection_checkpoints" SET ${values} WHERE "name" = ${name}`));
    await set('pets', sql`"rebuild_id" = ${'a'}, "rebuild_position" = ${2}`);
    await set('api-keys', sql`"position" = ${0}`);
    const position = (await service.events()).items[0]?.position;
    const { projections, log } = await service.dataWhere((data) => data.projections?.some(({ state }) => state === 'rebuilding') ?? false);
    expect(log).toEqual({ position });
    expect(projections).toContainEqual(
      expect.objectContaining({
        ...{ name: 'pets', state: 'rebuilding', lag: '0' },
        rebuild: { percent: Math.round((2 / Number(position)) * 1_000) / 10, remainingSeconds: null, standsStill: false },
      }),
    );
    expect(projections).toContainEqual(
      expect.objectContaining({ name: 'api-keys', state: 'behind', lag: '1', position: '0', rebuild: null }),
    );
  });

  it('is figures of the modules', async () => {
    await service.client.post(PETS, REX);
    const { modules } = await service.data();
    expect(modules.find(({ name }) => name === 'orders')?.figures).toContainEqual({
      ...{ name: 'adoption_open_orders', help: expect.any(String), kind: 'gauge' },
      values: [{ labels: {}, value: 0 }],
    });
    const named = [...composition().consoleMetrics.values()].flat();
    expect(modules.flatMap(({ figures }) => figures.map(({ name }) => name)).sort()).toEqual([...named].sort());
  });

  it('is the tail of the log, of a stream and of a type', async () => {
    await service.client.post(PETS, REX);
    await service.client.post(PETS, { ...REX, name: 'Mia' });
    const shown = ({ items }: { readonly items: readonly ShownEvent[] }) => items.map(({ type, stream }) => `${type} ${stream}`);
    const all = await service.events();
    expect(all.types).toEqual(expect.arrayContaining(['pet-added', 'order-placed', 'api-key-issued']));
    expect(shown(all)).toEqual(['pet-added pet-2', 'pet-added pet-1', 'api-key-issued api-key-1']);
    expect(shown(await service.events('?type=pet-added'))).toEqual(['pet-added pet-2', 'pet-added pet-1']);
    expect(shown(await service.events('?stream=pet-1&type='))).toEqual(['pet-added pet-1']);
    expect(shown(await service.events('?stream=pet-1&type=api-key-issued'))).toEqual([]);
    expect(all.items[0]).toMatchObject({
      position: '3',
      time: service.clock.now().toISOString(),
      actor: 'api-key-1',
      data: { name: 'Mia' },
    });
  });

  it('is the history of a stream, from its beginning', async () => {
    await service.client.post(PETS, REX);
    await service.client.send('PATCH', `${PETS}/1`, {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify({ name: 'Rexi' }),
      key: (await service.issueKey({ scopes: ['pets:write'] })).token,
    });
    const history = async (stream: string) => (await (await service.management.get(`/console/history?stream=${stream}`)).json()) as object;
    expect(await history('pet-1')).toMatchObject({
      stream: 'pet-1',
      items: [
        { type: 'pet-added', version: 1, actor: 'api-key-1' },
        { version: 2, actor: 'api-key-2' },
      ],
    });
    expect(await history('pet-9')).toEqual({ stream: 'pet-9', items: [] });
    expect(await history('api-key-2')).toMatchObject({ stream: 'api-key-2', items: [{ type: 'api-key-issued', actor: 'system' }] });
  });

  it.each([
    ['events?type=pet-flown', 'type must be one of '],
    ['events?stream=DROP%20TABLE', 'stream must be the name of a stream, such as pet-7'],
    ['history', 'stream must be the name of a stream, such as pet-7'],
    ['history?stream=', 'stream must be the name of a stream, such as pet-7'],
    [`history?stream=pet-${'1'.repeat(100)}`, 'stream must be the name of a stream, such as pet-7'],
    [`keys?name=${'a'.repeat(256)}`, 'name must be a string of 1 to 255 Unicode characters'],
    ['keys?owner=%20', 'owner must be a string of 1 to 255 Unicode characters'],
    ['keys?owner=a%00', 'owner must be without U+0000'],
    ['keys?status=blocked', 'status must be one of the following values: active, expired, revoked, banned'],
    ['keys?plan=gold', 'plan must be one of the following values: free, pro, business, enterprise'],
    ['keys?above=100', 'above must be a whole number from 0 to 99'],
    ['keys?above=many&plan=gold', 'above must be a whole number from 0 to 99'],
    ['keys?state=banned', 'state is not a filter; the filters are name, owner, status, plan, above'],
    ['keys?constructor=a', 'constructor is not a filter'],
    ['key-usage', 'id must be the number of an API key, such as 7'],
    ['key-usage?id=seven', 'id must be the number of an API key, such as 7'],
    ['key-usage?id=0', 'id must be the number of an API key, such as 7'],
  ])('says what is wrong with %s', async (target, message) => {
    const answer = await service.management.get(`/console/${target}`);
    expect([answer.status, await answer.json()]).toEqual([400, { message: expect.stringContaining(message) }]);
  });

  it('says that a key does not exist', async () => {
    const answer = await service.management.get('/console/key-usage?id=9');
    expect([answer.status, await answer.json()]).toEqual([404, { message: 'There is no API key 9.' }]);
  });

  it('holds no secret', async () => {
    const { token } = await service.issueKey({ plan: 'enterprise', perMinute: 10, perDay: 10, scopes: ['pets', 'webhooks'] });
    await service.client.get(PETS, { key: token });
    const hashes = await service.app
      .get(Database)
      .reader.query<{ data: string }>(sql`SELECT "data" FROM "events" WHERE "type" = ${'api-key-issued'}`);
    const paths = ['data', 'events', 'history?stream=api-key-1', 'keys?plan=enterprise', 'key-usage?id=1'];
    const shown = (await Promise.all(paths.map(async (path) => (await service.management.get(`/console/${path}`)).text()))).join();
    expect(shown).toContain('api-key-issued');
    expect(shown).not.toMatch(/adopt_|hash/);
    for (const { data } of hashes) expect(shown).not.toContain((JSON.parse(data) as { hash: string }).hash);
  });
});

describe('the console', () => {
  let service: WatchedService | undefined;
  afterEach(() => service?.close());
  const start = async (environment: Readonly<Record<string, string>>, logger?: Logger) =>
    (service = await startWatchedService({ environment, ...(logger && { logger }) }));
  const everything = [
    '',
    '/',
    '/console.css',
    '/console.mjs',
    '/uplot.mjs',
    '/uplot.css',
    '/lit-html/lit-html.js',
    '/data',
    '/events',
    '/history?stream=pet-1',
    '/keys?name=demo',
    '/key-usage?id=1',
  ];

  it.each([
    { DEPLOYMENT: 'production' },
    { DEPLOYMENT: 'staging', CONSOLE_PASSWORD: 'open sesame' },
    { CONSOLE: 'off' },
    { DEPLOYMENT: 'production', CONSOLE: 'off', CONSOLE_PASSWORD: 'open sesame' },
  ])('is not there with %p', async (environment) => {
    const { management } = await start(environment);
    for (const path of everything) expect((await management.get(`/console${path}`)).status).toBe(404);
    expect(await (await management.get('/')).text()).toBe('There is /metrics, /health/live, /health/ready.\n');
  });

  it.each([{ DEPLOYMENT: 'production', CONSOLE: 'on', CONSOLE_PASSWORD: 'open sesame' }, { CONSOLE_PASSWORD: 'open sesame' }])(
    'asks for its password for all of it with %p',
    async (environment) => {
      const { management } = await start(environment);
      const origin = new URL((await management.get('/health/live')).url).origin;
      for (const path of everything) {
        const status = async (credentials?: string) =>
          (await fetch(`${origin}/console${path}`, { headers: credentials ? { authorization: `Basic ${btoa(credentials)}` } : {} })).status;
        expect([path, await status(), await status('anybody:open sesame')]).toEqual([path, 401, 200]);
      }
      const refused = await management.get('/console');
      expect(refused.headers.get('www-authenticate')).toBe('Basic realm="console", charset="UTF-8"');
      expect(await refused.text()).toContain('CONSOLE_PASSWORD');
      expect((await management.get('/metrics')).status).toBe(200);
    },
  );

  it('has an address that guesses its password wait for longer and longer, and says so in the log', async () => {
    const said: unknown[] = [];
    const logger = createLogger({ level: 'warn', destination: { write: (line) => said.push((JSON.parse(line) as { msg: unknown }).msg) } });
    const { clock, management } = await start({ CONSOLE_PASSWORD: 'open sesame' }, logger);
    const { origin, port } = new URL((await management.get('/health/live')).url);
    const ask = async (password: string, at = origin) => {
      const answer = await fetch(`${at}/console/data`, { headers: { authorization: `Basic ${btoa(`x:${password}`)}` } });
      return [answer.status, answer.headers.get('retry-after')];
    };
    // Guesses that come together are counted as those that come one after another.
    const guesses = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`guess ${index}`)));
    expect(guesses.filter(([status]) => status === 401)).toHaveLength(5);
    expect(guesses.filter(([status]) => status === 429)).toEqual(Array(15).fill([429, '10']));
    expect(await ask('open sesame')).toEqual([429, '10']);
    // Another address of this machine.
    expect(await fromAnotherAddress(Number(port), 'open sesame')).toBe(200);

    clock.advance(10_000);
    expect(await ask('open sesame')).toEqual([200, null]);
    expect(await ask('guess')).toEqual([401, null]);
    expect(await ask('guess')).toEqual([429, '20']);
    for (const wait of [20, 40, 80, 160, 320, 640, 900, 900]) {
      clock.advance(wait * 1_000 - 1);
      expect(await ask('open sesame')).toEqual([429, '1']);
      clock.advance(1);
      expect((await ask('guess'))[0]).toBe(401);
    }
    expect(said.filter((text) => String(text).includes('wrong passwords'))).toHaveLength(10);
    expect(said[0]).toBe('The console got 5 wrong passwords from 127.0.0.1 and takes none from there for 10 s.');
    expect(said.join()).not.toContain('guess');

    clock.advance(60 * 60_000 + 1);
    for (let guess = 0; guess < 4; guess += 1) expect(await ask('guess')).toEqual([401, null]);
    expect(await ask('open sesame')).toEqual([200, null]);
  });

  it.each([
    ['development', 403],
    ['production', 200],
  ])('and metrics under the name of another site in %s: %i', async (deployment, status) => {
    const { path, backend } = await createWorkingDirectory();
    const environment = { ...backend, DEPLOYMENT: deployment, CONSOLE: 'on', CONSOLE_PASSWORD: 'open sesame' };
    const built = await startBuiltService(path, environment);
    const { port } = new URL(built.management);
    const authorization = `Basic ${btoa('x:open sesame')}`;
    for (const page of ['/console', '/console/data', '/metrics']) {
      const ask = (host: string) => statusOf({ port, path: page, headers: { host, authorization } });
      expect([page, await ask(`evil.example:${port}`), await ask(`localhost:${port}`)]).toEqual([page, status, 200]);
    }
  });

  it('is made of files that may load nothing from elsewhere, with addresses that work with and without a slash at the end', async () => {
    const { management } = await start({});
    for (const [path, base] of [
      ['/console', '<base href="console/" />'],
      ['/console/', ''],
    ] as const) {
      const answer = await management.get(path);
      const page = await answer.text();
      expect(page.match(/<base [^>]*>/)?.[0] ?? '').toBe(base);
      expect(page).not.toMatch(/(?:src|href)="(?!data:)(?:[a-z]+:|\/)|<script>|style="|\son[a-z]+="/);
      expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
      expect(answer.headers.get('content-security-policy')).not.toContain('unsafe');
    }
    expect((await management.get('/console', 'POST')).status).toBe(405);
  });
});

/** The status for a password that comes from 127.0.0.2. */
function fromAnotherAddress(port: number, password: string): Promise<number> {
  return statusOf({ port, path: '/console/data', localAddress: '127.0.0.2', headers: { authorization: `Basic ${btoa(`x:${password}`)}` } });
}

async function statusOf(options: RequestOptions): Promise<number> {
  const request = get({ host: '127.0.0.1', ...options });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}
