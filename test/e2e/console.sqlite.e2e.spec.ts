import { once } from 'node:events';
import { get, type IncomingMessage, type RequestOptions } from 'node:http';
import { CommandBus } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { createLogger } from '#libs/observability';
import { Database, sql } from '#libs/database';
import { ChangeApiKey, KeyDecisions } from '../../src/auth/index.js';
import { RetentionSchedule } from '../../src/operations/index.js';
import { startWatchedService, type ShownEvent, type WatchedService } from './console.fixture.js';
import { UNLIMITED } from './service.fixture.js';

const PETS = '/v1/pets';
const REX = { name: 'Rex', categoryId: 7, status: 'available' };
const PASSWORD = 'open sesame';
const metadata = { actor: 'system' } as const;

const basic = (password: string) => `Basic ${btoa(`x:${password}`)}`;

async function statusOf(options: RequestOptions): Promise<number> {
  const [response] = (await once(get({ host: '127.0.0.1', ...options }), 'response')) as [IncomingMessage];
  response.resume();
  return response.statusCode ?? 0;
}

describe('the console', () => {
  let service: WatchedService;
  let started: WatchedService | undefined;
  afterEach(async () => {
    await started?.close();
    started = undefined;
  });
  const start = async (environment: Readonly<Record<string, string>> = {}, logger?: Logger) =>
    (started = service = await startWatchedService({ environment, ...(logger && { logger }) }));

  it('shows the service, its requests and figures of each second, and those alone that a page lacks', async () => {
    await start();
    await service.client.post(PETS, REX);
    await service.client.get(PETS);
    await service.client.get('/v1/nothing');
    const data = await service.dataWhere(({ series }) => series['success']?.some((count) => Number(count) > 0) ?? false);
    expect(data.now).toBe(service.clock.now().getTime());
    expect(data.service).toMatchObject({ version: '1.0.0', deployment: 'development', process: process.pid, node: process.version });
    expect(data.health).toMatchObject({ status: 'ready', draining: false });
    const sum = (column: string) => data.series[column]?.reduce<number>((total, value) => total + Number(value), 0) ?? 0;
    for (const column of ['clientError', 'p99', 'events', 'memory']) expect([column, sum(column) > 0]).toEqual([column, true]);
    expect(data.instances).toEqual({ count: 1, connections: null });
    const { series } = await service.dataWhere((shown) => (shown.series['time']?.length ?? 0) > 1);
    expect(new Set(Object.values(series).map(({ length }) => length)).size).toBe(1);
  });

  it('shows keys with what they have used, the latest used first, and their bans', async () => {
    await start();
    const [idle, revoked] = [await service.issueKey(), await service.issueKey()];
    const busy = await service.issueKey({ plan: 'enterprise', name: 'busy', perMinute: 2, perDay: 10 });
    await service.app.get(CommandBus).execute(new ChangeApiKey({ type: 'revoke', id: revoked.id }, { metadata }));
    service.clock.advance(60_000);
    for (let request = 0; request < 3; request += 1) await service.client.get(PETS, { key: busy.token });
    const { keys } = await service.dataWhere((data) => data.keys?.items[0]?.minute.used === 2);
    expect(keys?.items.map(({ id, state, lastUsedAt }) => [id, state, lastUsedAt])).toEqual([
      [String(busy.id), 'active', '2026-06-01T12:01:00.000Z'],
      ['1', 'active', null],
      [String(idle.id), 'active', null],
      [String(revoked.id), 'revoked', null],
    ]);
    expect(keys?.items[0]).toMatchObject({ name: 'busy', ban: null, minute: { limit: 2, used: 2 }, day: { limit: 10, used: 2 } });
    const end = new Date(service.clock.now().getTime() + 60_000);
    await service.app.get(KeyDecisions).append(busy.id, { type: 'record-ban', until: end, step: 1, unbans: 0 }, { metadata });
    const banned = await service.dataWhere((data) => data.keys?.items[0]?.ban !== null);
    expect(banned.keys?.items[0]).toMatchObject({ state: 'banned', ban: { until: end.toISOString(), step: 1 } });

    const usage = await service.usage(busy.id);
    expect([usage.id, usage.days.length, usage.days[0]]).toEqual([String(busy.id), 30, { date: '2026-05-03', requests: 0, refusals: 0 }]);
  });

  it('finds keys by a part of their name, 50 at most', async () => {
    await start();
    for (let key = 0; key < 51; key += 1) await service.issueKey({ name: `Shop ${key}` });
    const { items, more } = await service.keys('name=SHOP&owner=');
    expect([items.length, more]).toEqual([50, true]);
    expect((await service.keys('name=shop+7&plan=free')).items.map(({ name }) => name)).toEqual(['Shop 7']);
    expect(await service.keys('name=%25')).toMatchObject({ items: [], more: false });
  });

  it('shows a rebuild beside the tables that serve, and tables that lag behind', async () => {
    await start();
    // Its run at the start forgets builds without a lease.
    await service.app.get(RetentionSchedule).run();
    for (let index = 0; index < 4; index += 1) await service.client.post(PETS, REX);
    const database = service.app.get(Database);
    const set = (name: string, values: ReturnType<typeof sql>) =>
      database.transaction((transaction) => transaction.query(sql`UPDATE "projection_checkpoints" SET ${values} WHERE "name" = ${name}`));
    await set('pets', sql`"rebuild_id" = ${'a'}, "rebuild_position" = ${2}`);
    await set('api-keys', sql`"position" = ${0}`);
    const { projections, log } = await service.dataWhere((data) => data.projections?.some(({ state }) => state === 'rebuilding') ?? false);
    expect(log).toEqual({ position: '5' });
    const rebuild = { percent: 40 };
    expect(projections).toContainEqual(expect.objectContaining({ name: 'pets', state: 'rebuilding', lag: '0', rebuild }));
    const behind = { name: 'api-keys', state: 'behind', lag: '1', position: '0', rebuild: null };
    expect(projections).toContainEqual(expect.objectContaining(behind));
  });

  it('shows the tail of the log and the history of a stream, and no secret', async () => {
    await start();
    const { token } = await service.issueKey({ ...UNLIMITED, scopes: ['pets', 'pets:write', 'webhooks'] });
    await service.client.post(PETS, REX);
    const headers = { 'content-type': 'application/merge-patch+json' };
    await service.client.send('PATCH', `${PETS}/1`, { headers, body: JSON.stringify({ name: 'Rexi' }), key: token });
    const shown = ({ items }: { readonly items: readonly ShownEvent[] }) => items.map(({ type, stream }) => `${type} ${stream}`);
    const all = await service.events();
    expect(all.types).toEqual(expect.arrayContaining(['pet-added', 'order-placed', 'api-key-issued']));
    expect(shown(all).slice(1)).toEqual(['pet-added pet-1', 'api-key-issued api-key-2', 'api-key-issued api-key-1']);
    expect(all.items[1]).toMatchObject({ position: '3', actor: 'api-key-1', data: { name: 'Rex' } });
    expect(shown(await service.events('?type=pet-added'))).toEqual(['pet-added pet-1']);
    const history = [
      { version: 2, actor: 'api-key-2' },
      { type: 'pet-added', version: 1, actor: 'api-key-1' },
    ];
    expect(await service.events('?stream=pet-1')).toMatchObject({ items: history });

    const issued = sql`SELECT "data" FROM "events" WHERE "type" = ${'api-key-issued'}`;
    const hashes = await service.app.get(Database).reader.query<{ data: string }>(issued);
    const paths = ['data', 'events', 'events?stream=api-key-1', 'keys?plan=enterprise', 'key-usage?id=1'];
    const said = (await Promise.all(paths.map(async (path) => (await service.management.get(`/console/${path}`)).text()))).join();
    expect(said).toContain('api-key-issued');
    expect(said).not.toMatch(/adopt_|hash/);
    for (const { data } of hashes) expect(said).not.toContain((JSON.parse(data) as { hash: string }).hash);
  });

  it('says what is wrong with a question', async () => {
    await start();
    for (const [target, message] of [
      ['events?type=pet-flown', 'type must be one of '],
      [`events?stream=pet-${'1'.repeat(100)}`, 'stream must be the name of a stream, such as pet-7'],
      ['keys?constructor=a', '"constructor" is not a query parameter of this operation, which takes limit, '],
      ['keys?usedAbove=100', 'usedAbove must be a whole number from 0 to 99'],
      ['key-usage?id=9', 'There is no API key 9.'],
    ] as const) {
      const answer = await service.management.get(`/console/${target}`);
      expect([target, answer.ok, await answer.json()]).toEqual([target, false, { message: expect.stringContaining(message) }]);
    }
  });

  const everything = ['', '/', '/console.css', '/console.mjs', '/lit-html/lit-html.js', '/data', '/events'].concat([
    ...['/keys?name=demo', '/key-usage?id=1'],
  ]);

  it.each([
    { DEPLOYMENT: 'staging', CONSOLE_PASSWORD: PASSWORD },
    { CONSOLE: 'off', CONSOLE_PASSWORD: PASSWORD },
  ])('is not there with %p', async (environment) => {
    const { management } = await start(environment);
    for (const path of everything) expect((await management.get(`/console${path}`)).status).toBe(404);
  });

  it('asks for its password for all of it', async () => {
    const { management } = await start({ DEPLOYMENT: 'production', CONSOLE: 'on', CONSOLE_PASSWORD: PASSWORD });
    const { port } = new URL((await management.get('/health/live')).url);
    for (const path of everything) {
      const status = (headers = {}) => statusOf({ port, path: `/console${path}`, headers });
      expect([path, await status(), await status({ authorization: basic(PASSWORD) })]).toEqual([path, 401, 200]);
    }
    const refused = await management.get('/console');
    expect(refused.headers.get('www-authenticate')).toBe('Basic realm="console", charset="UTF-8"');
    expect((await management.get('/metrics')).status).toBe(200);
  });

  it('has an address that guesses its password wait for longer and longer, and says so in the log', async () => {
    const said: unknown[] = [];
    const logger = createLogger({ level: 'warn', destination: { write: (line) => said.push((JSON.parse(line) as { msg: unknown }).msg) } });
    const { clock, management } = await start({ CONSOLE_PASSWORD: PASSWORD }, logger);
    const { origin, port } = new URL((await management.get('/health/live')).url);
    const ask = async (password: string) => {
      const answer = await fetch(`${origin}/console/data`, { headers: { authorization: basic(password) } });
      return [answer.status, answer.headers.get('retry-after')];
    };
    // Guesses that come together are counted as those that come one after another.
    const guesses = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(`guess ${index}`)));
    expect(guesses.filter(([status]) => status === 401)).toHaveLength(5);
    expect(guesses.filter(([status]) => status === 429)).toEqual(Array(15).fill([429, '10']));
    expect(await ask(PASSWORD)).toEqual([429, '10']);
    const fromElsewhere = { port, path: '/console/data', localAddress: '127.0.0.2', headers: { authorization: basic(PASSWORD) } };
    expect(await statusOf(fromElsewhere)).toBe(200);

    clock.advance(10_000);
    expect(await ask(PASSWORD)).toEqual([200, null]);
    expect(await ask('guess')).toEqual([401, null]);
    expect(await ask('guess')).toEqual([429, '20']);
    for (const wait of [20, 40, 80, 160, 320, 640, 900, 900]) {
      clock.advance(wait * 1_000 - 1);
      expect(await ask(PASSWORD)).toEqual([429, '1']);
      clock.advance(1);
      expect((await ask('guess'))[0]).toBe(401);
    }
    expect(said[0]).toBe('The console got 5 wrong passwords from 127.0.0.1 and takes none from there for 10 s.');
    expect(said.join()).not.toContain('guess');

    clock.advance(60 * 60_000 + 1);
    for (let guess = 0; guess < 4; guess += 1) expect(await ask('guess')).toEqual([401, null]);
    expect(await ask(PASSWORD)).toEqual([200, null]);
  });

  it('is made of files that may load nothing from elsewhere', async () => {
    const { management } = await start();
    const answer = await management.get('/console');
    const page = await answer.text();
    // Behind a proxy that strips a prefix, addresses have to work with and without a slash at the end.
    expect(page).toContain('<base href="console/" />');
    expect(await (await management.get('/console/')).text()).not.toContain('<base ');
    expect(page).not.toMatch(/(?:src|href)="(?!data:)(?:[a-z]+:|\/)|<script>|style="|\son[a-z]+="/);
    expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(answer.headers.get('content-security-policy')).not.toContain('unsafe');
  });
});
