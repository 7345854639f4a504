import { EventStore } from '#libs/event-sourcing';
import { SettableClock, until } from '#libs/testing';
import { tamperWith } from '../databases/test-database.fixture.js';
import { runBuilt } from './built-service.fixture.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { toldLimits } from './rate-limit.fixture.js';
import { startService, UNLIMITED } from './service.fixture.js';
import { contentOf, LIST_OF_MIGRATIONS, openTransfer, PASSWORD, reportOf, type TransferUnderTest } from './transfer.fixture.js';
import { ADDRESS, startWebhooks, type WebhookBody } from './webhooks.fixture.js';

const PETS = '/v1/pets';
const ORDERS = '/v1/store/orders';
const REX = { name: 'Rex', categoryId: 7, status: 'available' };
const REPEATED = { headers: { 'idempotency-key': 'rex-1' } };
const HISTORY =
  '{ pet(id: 31) { name history { ...F } orders { nodes { status placedBy history { ...F } } } } } fragment F on Event { position type recordedAt data metadata }';
const FOREIGN = 'tables of something else';

type Refusal = readonly [what: string, prepare: () => Promise<unknown>, reason: string];

describe('db transfer', () => {
  let databases: TransferUnderTest;
  beforeEach(async () => {
    databases = await openTransfer();
  });
  afterEach(() => databases.remove());

  const listAll = async ({ client }: GraphqlService) => (await client.get(`${PETS}?limit=100`)).text;
  /** Uses up the minute and ignores ten refusals after the grace; returns when the ban is in the log. */
  const provoke = async ({ client, app, clock }: GraphqlService, key: string) => {
    for (let sent = 0; sent < 2; sent += 1) await client.get(PETS, { key });
    clock.advance(2_000);
    for (let sent = 0; sent < 11; sent += 1) await client.get(PETS, { key });
    await until(async () => (await app.get(EventStore).readAll({ limit: 1, types: ['api-key-banned'] })).length > 0);
  };

  it('lets a service on the target go on as if nothing had happened', async () => {
    // A whole minute after the keys are made, and not so far ahead that idempotency keys of the import are forgotten.
    const minute = new Date((Math.floor(Date.now() / 60_000) + 60) * 60_000);
    const clock = new SettableClock(minute);
    const serve = (url: string) => startGraphqlService({ clock, environment: { DATABASE_URL: url } });
    const [file, before] = [await databases.addAnimals(30), await serve(databases.source)];
    const { token: customer } = await before.issueKey({ ...UNLIMITED, name: 'customer', scopes: ['orders'] });
    const used = await before.issueKey({ ...UNLIMITED, name: 'used', perMinute: 10 });
    const banned = await before.issueKey({ plan: 'enterprise', name: 'banned', perMinute: 1, perDay: 1_000 });
    const idempotent = { ...REPEATED, key: used.token };
    const added = await before.client.post(PETS, REX, idempotent);
    const order = { petId: added.json<{ id: number }>().id };
    const ordered = await before.client.post(ORDERS, order, { ...REPEATED, key: customer });
    await provoke(before, banned.token);
    const [pets, history] = [await listAll(before), await before.ask(HISTORY)];
    const { remaining } = toldLimits(await before.client.get(PETS, { key: used.token }));
    await before.close();

    const { code, stdout, stderr } = await databases.transfer();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^\{"target":"adoption_test_\w+ at [^"]+","events":(\d+),"copied":\1,"seconds":[\d.]+\}\n$/);
    expect(await databases.verifyTarget()).toMatchObject({ events: reportOf({ stdout }).events, problems: [] });
    expect(reportOf(await databases.onTarget('pets', 'import', file))).toMatchObject({ added: 0, skipped: 30 });

    const after = await serve(databases.target);
    try {
      expect(await listAll(after)).toBe(pets);
      expect(history.data).toMatchObject({ pet: { orders: { nodes: [{ status: 'PLACED' }] } } });
      expect((await after.ask(HISTORY)).answer.text).toBe(history.answer.text);
      const orderedAgain = await after.client.post(ORDERS, order, { ...REPEATED, key: customer });
      expect(orderedAgain).toMatchObject({ status: 201, text: ordered.text, headers: { 'idempotency-replayed': 'true' } });
      const cancelled = await after.client.send('POST', `${ORDERS}/1/cancel`, { key: customer });
      expect(cancelled.json()).toMatchObject({ status: 'cancelled', version: 2 });
      expect((await after.client.post(ORDERS, order, { key: customer })).json()).toMatchObject({ id: 2, status: 'placed' });
      const repeated = await after.client.post(PETS, REX, idempotent);
      const replay = { 'idempotency-replayed': 'true', location: added.headers.location };
      expect(repeated).toMatchObject({ status: 201, text: added.text, headers: replay });
      expect(toldLimits(repeated).remaining).toBe(remaining - 1);
      const refused = await after.client.get(PETS, { key: banned.token });
      expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('key_banned')]);
      expect((await after.client.post(PETS, { name: 'Mia', categoryId: 7 })).json()).toMatchObject({ id: 32 });
      expect((await after.issueKey()).id).toBe(banned.id + 3n);
    } finally {
      await after.close();
    }
  });

  it('takes webhook endpoints along, with the secrets that sign', async () => {
    await databases.onSource('keys', 'create', '--name', 'owner', '--scopes', 'webhooks,events');
    const created = await databases.onSource('webhooks', 'create', '--key', '1', '--url', ADDRESS, '--types', 'pet.added');
    const { id, secret } = JSON.parse(created.stdout) as WebhookBody;
    const { secret: second } = JSON.parse((await databases.onSource('webhooks', 'rotate-secret', `${id}`)).stdout) as WebhookBody;
    const list = await databases.onSource('webhooks', 'list');
    expect(await databases.transfer()).toMatchObject({ code: 0, stderr: '' });
    expect(await databases.onTarget('webhooks', 'list')).toEqual(list);
    const service = await startWebhooks({ environment: { DATABASE_URL: databases.target } });
    expect(await service.secretsOf(id)).toEqual([second, secret]);
    await service.close();
  });

  it('takes events exactly as they are stored', async () => {
    await databases.addAnimals(3);
    await tamperWith(
      databases.source,
      `INSERT INTO "events" VALUES (4, 'pet-1', 2, 'one', 'pet-painted', 7, '{ "colour" : "\\u0000é\u2028" }', '{}', 1);
       UPDATE "sequences" SET "last_value" = 4 WHERE "name" = 'position'`,
    );
    expect(reportOf(await databases.transfer())).toMatchObject({ events: 4, copied: 4 });
    const { rows } = await databases.observer.query<object>('SELECT * FROM "events" WHERE "position" = 4');
    const stored = { stream_id: 'pet-1', stream_version: '2', event_id: 'one', type: 'pet-painted', schema_version: '7' };
    expect(rows).toEqual([{ ...stored, position: '4', data: '{ "colour" : "\\u0000é\u2028" }', metadata: '{}', recorded_at: '1' }]);
    expect(await databases.verifyTarget()).toMatchObject({ events: 4, problems: [] });
  });

  it('is for good: commands, a start and a service on the source refuse what the target would lack', async () => {
    await databases.addAnimals(3);
    const service = await startService({ environment: { DATABASE_URL: databases.source } });
    try {
      expect((await service.client.post(PETS, REX)).status).toBe(201);
      expect(await databases.transfer()).toMatchObject({ code: 0, stderr: '' });
      const refused = await service.client.post(PETS, REX);
      expect([refused.status, refused.json()]).toEqual([503, expect.objectContaining({ code: 'service_unavailable' })]);
      expect((await service.client.get(PETS)).status).toBe(200);
    } finally {
      await service.close();
    }
    const moved = / was moved to adoption_test_\w+ at \S+ by \\?"[^"]+ db transfer\\?": set DATABASE_URL to that one\./;
    for (const { code, stdout, stderr } of [
      await databases.transfer(),
      await databases.onSource('pets', 'set-status', '1', 'sold'),
      await runBuilt('main', [], {
        cwd: databases.folder,
        environment: { DATABASE_URL: databases.source, PORT: '0', MANAGEMENT_PORT: 'off' },
      }),
    ]) {
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(moved)]);
    }
    expect(await databases.verifyTarget()).toMatchObject({ problems: [] });
  });

  it.each<Refusal>([
    [
      'another log',
      () => databases.onTarget('keys', 'create', '--name', 'other'),
      'holds another log: --to must name an empty database\\. Nothing was changed there\\.',
    ],
    ...[
      'CREATE TABLE "events" ("id" bigint PRIMARY KEY)',
      `${LIST_OF_MIGRATIONS}; INSERT INTO "migrations" VALUES (1, 1, 'CreateOrders1')`,
    ].map((statements): Refusal => [
      `${FOREIGN}: ${statements}`,
      () => databases.observer.query(statements),
      'holds tables that are not of this service: --to must name an empty database\\. Nothing was changed there\\.',
    ]),
    [
      'a database of a newer build',
      () => databases.observer.query(`INSERT INTO "migrations" ("timestamp", "name") VALUES (9999999999999, 'FromAfar9999999999999')`),
      'was migrated by a newer build: this one does not know FromAfar9999999999999\\. Run the newer build\\.',
    ],
  ])('refuses, and leaves as it is, %s', async (what, prepare, reason) => {
    await databases.addAnimals(5);
    if (!what.startsWith(FOREIGN)) await databases.onTarget('db', 'migrate');
    await prepare();
    const before = await contentOf(databases.observer);
    const { code, stdout, stderr } = await databases.transfer();
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(new RegExp(`adoption_test_\\w+ at \\S+ ${reason}\\n$`));
    expect(await contentOf(databases.observer)).toEqual(before);
  });

  it('is from SQLite to PostgreSQL only, and tells no password', async () => {
    const unreachable = `postgres://nobody:${PASSWORD}@127.0.0.1:1/none`;
    for (const [to, message] of [
      ['sqlite:./other.sqlite', /^--to must name a PostgreSQL database, such as postgres:\/\/USER:PASSWORD@HOST/],
      [unreachable, /^The database none at 127\.0\.0\.1:1 cannot be opened: [^\n]*\n$/],
    ] as const) {
      const { code, stdout, stderr } = await databases.onSource('db', 'transfer', '--to', to);
      expect([code === 0, stdout, stderr]).toEqual([false, '', expect.stringMatching(message)]);
      expect(stderr).not.toContain(PASSWORD);
    }
  });
});
