import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { EventStore } from '#libs/event-sourcing';
import { SettableClock } from '#libs/testing';
import { execute, tamperWith } from '../databases/test-database.fixture.js';
import { startGraphqlService, type GraphqlService } from './graphql.fixture.js';
import { toldLimits } from './rate-limit.fixture.js';
import { startService, UNLIMITED } from './service.fixture.js';
import { contentOf, openTransfer, PASSWORD, untilAlone, untilFound, type TransferUnderTest } from './transfer.fixture.js';

interface Report {
  readonly target: string;
  readonly events: number;
  readonly copied: number;
  readonly seconds: number;
}

const FOREIGN = 'tables of something else';
const LIST_OF_MIGRATIONS =
  'CREATE TABLE "migrations" ("id" SERIAL PRIMARY KEY, "timestamp" bigint NOT NULL, "name" character varying NOT NULL)';

const reportOf = ({ stdout }: { readonly stdout: string }): Report => JSON.parse(stdout) as Report;

describe('db transfer', () => {
  let databases: TransferUnderTest;
  beforeEach(async () => {
    databases = await openTransfer();
  });
  afterEach(() => databases.remove());

  const verifyTarget = async () => JSON.parse((await databases.onTarget('events', 'verify')).stdout) as object;

  describe('of everything a service has', () => {
    const PETS = '/v1/pets';
    const ORDERS = '/v1/store/orders';
    const REX = { name: 'Rex', categoryId: 7, status: 'available' };
    const REPEATED = { headers: { 'idempotency-key': 'rex-1' } };
    const HISTORY =
      '{ pet(id: 31) { name history { ...F } orders { nodes { status placedBy history { ...F } } } } } fragment F on Event { position type recordedAt data metadata }';
    const USES = '{ apiKeys(first: 100) { edges { node { id lastUsedAt } } } }';

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
      await before.client.send('GET', `${PETS}/1`, { key: used.token });
      const [pets, history, uses] = [await listAll(before), await before.ask(HISTORY), await before.ask(USES)];
      const { remaining } = toldLimits(await before.client.get(PETS, { key: used.token }));
      await before.close();

      const { code, stdout, stderr } = await databases.transfer();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^\{"target":"adoption_test_\w+ at [^"]+","events":(\d+),"copied":\1,"seconds":[\d.]+\}\n$/);
      expect(await verifyTarget()).toMatchObject({ events: reportOf({ stdout }).events, problems: [] });
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
        const afterwards = (await after.ask<{ apiKeys: object }>(USES)).answer.text;
        expect(keyUses(uses.answer.text)).toHaveProperty(String(used.id), minute.toISOString());
        expect(keyUses(afterwards)).toMatchObject(keyUses(uses.answer.text));
        const repeated = await after.client.post(PETS, REX, idempotent);
        expect({ status: repeated.status, text: repeated.text }).toEqual({ status: 201, text: added.text });
        expect(repeated.headers).toMatchObject({ 'idempotency-replayed': 'true', location: added.headers.location });
        expect(toldLimits(repeated).remaining).toBe(remaining - 1);
        expect(await after.client.get(PETS, { key: banned.token })).toMatchObject({
          status: 429,
          text: expect.stringContaining('key_banned'),
        });
        expect((await after.client.post(PETS, { name: 'Mia', categoryId: 7 })).json()).toMatchObject({ id: 32 });
        expect((await after.issueKey()).id).toBe(banned.id + 3n);
      } finally {
        await after.close();
      }
    });

    const listAll = async ({ client }: GraphqlService) => (await client.get(`${PETS}?limit=100`)).text;

    const keyUses = (text: string): Record<string, unknown> => {
      const { data } = JSON.parse(text) as { data: { apiKeys: { edges: { node: { id: string; lastUsedAt: string | null } }[] } } };
      return Object.fromEntries(data.apiKeys.edges.map(({ node }) => [node.id, node.lastUsedAt]));
    };

    /** Uses up the minute and ignores ten refusals after the grace; returns when the ban is in the log. */
    const provoke = async ({ client, app, clock }: GraphqlService, key: string) => {
      for (let sent = 0; sent < 2; sent += 1) await client.get(PETS, { key });
      clock.advance(2_000);
      for (let sent = 0; sent < 11; sent += 1) await client.get(PETS, { key });
      while ((await app.get(EventStore).readAll({ limit: 1, types: ['api-key-banned'] })).length === 0) await setImmediate();
    };
  });

  describe('as a copy', () => {
    it('takes the events exactly as they are stored, also of a type and a schema version that this build does not know', async () => {
      await databases.addAnimals(3);
      await tamperWith(
        databases.source,
        `INSERT INTO "events" VALUES (9, 'pet-1', 2, 'one', 'pet-painted', 7, '{ "colour" : "\\u0000é\u2028" }', '{}', 1);
         UPDATE "sequences" SET "last_value" = 9 WHERE "name" = 'position'`,
      );
      expect(reportOf(await databases.transfer())).toMatchObject({ events: 4, copied: 4 });
      const { rows } = await databases.observer.query<object>('SELECT * FROM "events" WHERE "position" = 9');
      expect(rows).toEqual([
        {
          position: '9',
          stream_id: 'pet-1',
          stream_version: '2',
          event_id: 'one',
          type: 'pet-painted',
          schema_version: '7',
          data: '{ "colour" : "\\u0000é\u2028" }',
          metadata: '{}',
          recorded_at: '1',
        },
      ]);
    });

    it('shows on a terminal how far each step is', async () => {
      await databases.addAnimals(10);
      const terminal = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
      const { isTTY } = process.stderr;
      process.stderr.isTTY = true;
      try {
        await databases.transfer();
        const labels = terminal.mock.calls.map(([text]) => /([a-z][a-z -]*) \[#/.exec(String(text))?.[1] ?? '');
        expect([...new Set(labels)].filter(Boolean).sort()).toEqual([
          'building api-keys',
          'building order-search',
          'building orders',
          'building pet-search',
          'building pets',
          'building webhooks',
          'comparing',
          'copying',
          'replaying',
        ]);
      } finally {
        process.stderr.isTTY = isTTY;
        terminal.mockRestore();
      }
    });

    it('leaves an equal target alone and says so', async () => {
      await databases.addAnimals(10);
      await databases.onTarget('db', 'migrate');
      expect(await databases.transfer()).toMatchObject({ code: 0, stderr: '' });
      // Of the instances that serve the source.
      await execute(databases.source, `INSERT INTO "process_leases" VALUES ('timers', 'an instance', 1)`);
      const before = await contentOf(databases.observer);
      const { code, stdout, stderr } = await databases.transfer();
      expect({ code, copied: reportOf({ stdout }).copied }).toEqual({ code: 0, copied: 0 });
      expect(stderr).toMatch(/^adoption_test_\w+ at \S+ equals the source already; nothing was changed there\.\n$/);
      expect(await contentOf(databases.observer)).toEqual(before);
    });

    it('goes on where a target ends that holds the beginning of the log', async () => {
      await databases.addAnimals(10);
      await databases.transfer();
      await databases.addAnimals(2_500);
      expect(reportOf(await databases.transfer())).toMatchObject({ events: 2_510, copied: 2_500 });
      expect(await verifyTarget()).toEqual({ events: 2_510, streams: 2_510, problems: [] });
    });

    it('finishes what was broken off after the log was there', async () => {
      const file = await databases.addAnimals(10);
      await databases.transfer();
      await databases.observer.query('DELETE FROM "import_progress"; UPDATE "projection_checkpoints" SET "position" = 5');
      expect(await databases.transfer()).toMatchObject({ code: 0, stderr: '' });
      expect(await verifyTarget()).toMatchObject({ problems: [] });
      expect(reportOf(await databases.onTarget('pets', 'import', file))).toMatchObject({ added: 0 });
    });

    it('can be killed in the middle, leaves a whole log of its own behind, and goes on', async () => {
      await databases.addAnimals(5_000);
      await databases.onTarget('db', 'migrate');
      const { reached, release } = await databases.holdAfter(4_000);
      const killed = databases.startTransfer();
      await reached();
      killed.kill('SIGKILL');
      await once(killed, 'close');
      await release();
      await untilAlone(databases.observer);
      expect(await verifyTarget()).toEqual({ events: 4_000, streams: 4_000, problems: [] });
      const counters = await databases.observer.query<object>('SELECT "name", "last_value" FROM "sequences" ORDER BY "name"');
      expect(counters.rows).toEqual(['position', 'stream:pet', 'type:pet-added'].map((name) => ({ name, last_value: '4000' })));
      expect(reportOf(await databases.transfer())).toMatchObject({ events: 5_000, copied: 1_000 });
      expect(await verifyTarget()).toEqual({ events: 5_000, streams: 5_000, problems: [] });
    });

    it('can be killed at any statement, the making of its tables too, and goes on until it is done', async () => {
      await databases.addAnimals(2_500);
      let [statement, next] = [1, 2];
      let outcome = await databases.killAt(statement);
      for (; outcome === 'killed'; outcome = await databases.killAt(statement)) [statement, next] = [next, statement + next];
      // It may have been done already when it was killed last.
      expect(outcome).toMatchObject({ code: 0, stderr: expect.stringMatching(/^(?:\S+ at \S+ equals the source already; [^\n]*\n)?$/) });
      // The tables alone are made by more.
      expect(statement).toBeGreaterThan(50);
      expect(await verifyTarget()).toEqual({ events: 2_500, streams: 2_500, problems: [] });
      expect(await databases.transfer()).toMatchObject({ code: 0, stderr: expect.stringContaining('equals the source already') });
    }, 600_000);

    it('begins anew where an earlier build was killed before it made its tables', async () => {
      await databases.addAnimals(5);
      await databases.observer.query(LIST_OF_MIGRATIONS);
      expect(reportOf(await databases.transfer())).toMatchObject({ events: 5, copied: 5 });
      expect(await verifyTarget()).toMatchObject({ events: 5, problems: [] });
    });

    it('stops when something else writes to the target', async () => {
      await databases.addAnimals(5_000);
      await databases.onTarget('db', 'migrate');
      const { reached, release } = await databases.holdAfter(0);
      const transferring = databases.transfer();
      await reached();
      const issued = databases.onTarget('keys', 'create', '--name', 'intruder');
      await untilFound(
        databases.observer,
        `SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
        WHERE locktype = 'advisory' AND objid <> 1 AND NOT granted AND datname = current_database()`,
      );
      await release();
      expect(await issued).toMatchObject({ code: 0 });
      expect(await transferring).toEqual({
        code: 1,
        stdout: '',
        stderr: 'Something else writes to the target: stop it, empty the database, and transfer again.\n',
      });
    });
  });

  it('lets a running service answer reads, and writes with 503, and go on afterwards', async () => {
    await databases.addAnimals(3_000);
    await databases.onTarget('db', 'migrate');
    const { reached, release } = await databases.holdAfter(2_000);
    const service = await startService({ environment: { DATABASE_URL: databases.source } });
    try {
      const events = Number(await service.app.get(EventStore).lastPosition());
      const transferring = databases.startTransfer();
      let output = '';
      transferring.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      const ended = once(transferring, 'close');
      await reached();

      const add = () => service.client.post('/v1/pets', { name: 'Rex', categoryId: 7 });
      let refused = 0;
      const refusals = [1, 2, 3].map(async () => {
        expect(await add()).toMatchObject({ status: 503, headers: { 'retry-after': expect.stringMatching(/^\d+$/) } });
        refused += 1;
      });
      let reads = 0;
      while (refused === 0) {
        expect(await service.client.get('/v1/pets?limit=1')).toMatchObject({ status: 200 });
        reads += 1;
      }
      // Were the service to wait for the lock in place, it would have answered one.
      expect(reads).toBeGreaterThan(20);
      await Promise.all(refusals);
      await release();

      expect(await ended).toEqual([0, null]);
      expect(reportOf({ stdout: output })).toMatchObject({ events, copied: events });
      expect(await add()).toMatchObject({ status: 201 });
      expect(reportOf(await databases.transfer())).toMatchObject({ copied: 1 });
    } finally {
      await service.close();
    }
  });

  describe('refuses, and leaves as it is,', () => {
    const { observed, refusal } = {
      observed: () => contentOf(databases.observer),
      refusal: (text: string) => new RegExp(`^adoption_test_\\w+ at \\S+ ${text} Nothing was changed there\\.\\n$`),
    };

    it.each<[string, () => Promise<unknown>, string]>([
      [
        'another log',
        () => databases.onTarget('keys', 'create', '--name', 'other'),
        'holds another log: it differs after position 0\\. --to must name an empty database\\.',
      ],
      [
        'one that differs in a time alone',
        async () => {
          await databases.transfer();
          await tamperWith(databases.target, `UPDATE "events" SET "recorded_at" = "recorded_at" + 1 WHERE "position" = 3`);
        },
        'holds another log: it differs after position 2\\. --to must name an empty database\\.',
      ],
      [
        'a longer log',
        async () => {
          await databases.transfer();
          await databases.onTarget('pets', 'set-status', '1', 'sold');
        },
        'holds a longer log: it continues after position 5, the end of the source log\\.',
      ],
      ...[
        'CREATE TABLE "events" ("id" bigint PRIMARY KEY); INSERT INTO "events" VALUES (1)',
        'CREATE TABLE "orders" ("id" bigint PRIMARY KEY)',
        // What another service on the same libraries begins with, or goes on with.
        `${LIST_OF_MIGRATIONS}; INSERT INTO "migrations" ("timestamp", "name") VALUES (1, 'CreateOrders1')`,
        `${LIST_OF_MIGRATIONS}; CREATE TABLE "orders" ("id" bigint PRIMARY KEY)`,
        `${LIST_OF_MIGRATIONS}; CREATE TABLE "events" ("id" bigint PRIMARY KEY)`,
        'CREATE TABLE "migrations" ("id" bigint PRIMARY KEY, "batch" bigint)',
        'CREATE TABLE "migrations" ("batch" bigint); CREATE TABLE "events" ("id" bigint PRIMARY KEY)',
      ].map((statements): [string, () => Promise<unknown>, string] => [
        `${FOREIGN}: ${statements}`,
        () => databases.observer.query(statements),
        'holds tables that are not of this service: --to must name an empty database\\.',
      ]),
      [
        'a database of an older build',
        () => databases.observer.query(`DELETE FROM "migrations" WHERE "name" LIKE 'CreateApiKeyUses%'`),
        'is not up to date: run "npm run cli -- db migrate" on it first\\.',
      ],
    ])('%s', async (what, prepare, reason) => {
      await databases.addAnimals(5);
      if (!what.startsWith(FOREIGN)) await databases.onTarget('db', 'migrate');
      await prepare();
      const before = await observed();
      const { code, stdout, stderr } = await databases.transfer();
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toMatch(refusal(reason));
      expect(await observed()).toEqual(before);
    });
  });

  it('refuses, and leaves as it is, a database of a newer build', async () => {
    await databases.onTarget('db', 'migrate');
    await databases.observer.query(`INSERT INTO "migrations" ("timestamp", "name") VALUES (9999999999999, 'FromAfar9999999999999')`);
    const before = await contentOf(databases.observer);
    const { code, stderr } = await databases.transfer();
    expect(code).toBe(1);
    expect(stderr).toMatch(/was migrated by a newer build: this one does not know FromAfar9999999999999\. Run the newer build\.\n$/);
    expect(await contentOf(databases.observer)).toEqual(before);
  });

  it.each([
    [
      2,
      ['--to', 'sqlite:./other.sqlite'],
      /^--to must name a PostgreSQL database, such as postgres:\/\/USER:PASSWORD@HOST:5432\/DATABASE\.\n$/,
    ],
    [2, ['--to', 'mysql://here'], /^--to must be sqlite:PATH, .*\n$/],
    [2, [], /^required option '--to <url>' not specified; see --help\.\n$/],
    [1, ['--to', `postgres://nobody:${PASSWORD}@127.0.0.1:1/none`], /^The database none at 127\.0\.0\.1:1 cannot be opened: [^\n]*\n$/],
  ])('says with exit code %d what would be right instead of %j', async (expected, words, message) => {
    const { code, stdout, stderr } = await databases.onSource('db', 'transfer', ...words);
    expect({ code, stdout }).toEqual({ code: expected, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain(PASSWORD);
  });

  it('transfers from SQLite alone', async () => {
    expect(await databases.onTarget('db', 'transfer', '--to', databases.target)).toEqual({
      code: 1,
      stdout: '',
      stderr: 'Only an SQLite database is transferred; DATABASE_URL names a PostgreSQL one already.\n',
    });
  });
});
