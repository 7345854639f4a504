import pg from 'pg';
import { DatabaseUnavailableError, describeLocation, parseDatabaseUrl, raw, type DatabaseLocation } from '#libs/database';
import { until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { openPostgresProxy, type PassingMessage, type PostgresProxy } from '../databases/postgres-proxy.fixture.js';
import { createPostgresDatabase, type TestDatabase } from '../databases/test-database.fixture.js';
import { counted } from './counting.fixture.js';
import { openStore, type StoreUnderTest } from './store-under-test.js';

const APPLICATION = 'one-connection-fails';
const WRITE_LOCK = 4_201_337;
const SLOW_READ = raw('SELECT pg_sleep(0.5)');

describe('a connection to PostgreSQL that fails alone', () => {
  let database: TestDatabase;
  let proxy: PostgresProxy;
  let observer: pg.Client;

  beforeEach(async () => {
    database = await createPostgresDatabase();
    proxy = await openPostgresProxy(database.url);
    closeAtEnd(() => proxy.restore());
    observer = await connected(database.url);
    await observer.query('CREATE TABLE "halves" ("half" text PRIMARY KEY)');
  });
  const open = async (settings: Partial<DatabaseLocation> = {}): Promise<StoreUnderTest> => {
    const store = await openStore({ ...parseDatabaseUrl(proxy.url), applicationName: APPLICATION, ...settings } as DatabaseLocation);
    closeAtEnd(() => proxy.restore());
    return store;
  };
  const append = ({ store }: StoreUnderTest, key?: string) =>
    store.execute(() => [{ stream: { newIn: 'counter' }, expectedVersion: 'noStream', events: [counted(1)] }], {
      metadata: { actor: 'system' },
      idempotency: key === undefined ? undefined : { scope: 'test', key, fingerprint: key },
    });
  const insert = (half: string) => raw(`INSERT INTO "halves" VALUES ('${half}')`);
  const halves = async (): Promise<string[]> => {
    const { rows } = await observer.query<{ half: string }>('SELECT "half" FROM "halves" ORDER BY "half"');
    return rows.map(({ half }) => half);
  };
  const countOf = async (query: string): Promise<number> => Number((await observer.query<{ count: string }>(query)).rows[0]?.count);
  const leftBehind = async () => ({
    idle: await countOf(`SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`),
    locks: await countOf(
      `SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
       WHERE locktype = 'advisory' AND objid = ${WRITE_LOCK} AND granted AND datname = current_database()`,
    ),
  });

  describe('because its role may open no more', () => {
    let role: string;
    beforeEach(async () => {
      role = `${describeLocation(parseDatabaseUrl(database.url)).split(' ')[0] ?? ''}_limited`;
      await observer.query(`CREATE ROLE "${role}" LOGIN CONNECTION LIMIT 3`);
      await observer.query(`GRANT ALL ON SCHEMA public TO "${role}"; GRANT ALL ON "halves" TO "${role}"`);
      closeAtEnd(() => observer.query(`DROP OWNED BY "${role}" CASCADE; DROP ROLE "${role}"`));
    });
    const limited = (): string => {
      const url = new URL(proxy.url);
      url.username = role;
      return url.href;
    };

    it('leaves no half of a write to the next one', async () => {
      const { database: subject } = await open({ url: limited() });
      await subject.reader.query(raw('SELECT 1'));
      // With the writer's and the reader's it is the third.
      const another = await connected(limited());
      const write = subject.write(async (transaction) => {
        await transaction.query(insert('A'));
        const reads = await Promise.allSettled([subject.reader.query(SLOW_READ), subject.reader.query(SLOW_READ)]);
        expect(reads.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
        await another.end();
        await transaction.query(insert('B'));
      });
      const succeeds = (work: Promise<unknown>) => work.then(() => true).catch(() => false);
      const both = (await succeeds(write)) ? ['A', 'B'] : [];
      expect(await leftBehind()).toEqual({ idle: 0, locks: 0 });
      await until(() => succeeds(subject.write((transaction) => transaction.query(insert('C')))));
      expect(await halves()).toEqual([...both, 'C']);
      expect(await leftBehind()).toEqual({ idle: 0, locks: 0 });
    });
  });

  describe('because the beginning of its transaction is refused', () => {
    // A cancellation and a lost race are answered with an outage; the last is an error that the service knows nothing about.
    const SQLSTATES = ['57014', '40001', 'XX000'];

    it.each(SQLSTATES)('with %s, commits none of the statements that were sent behind it', async (sqlstate) => {
      const { database: subject } = await open();
      const fault = proxy.fail(isBeginning, { sqlstate });
      await expect(
        subject.write((transaction) => Promise.all([transaction.query(insert('A')), transaction.query(insert('B'))])),
      ).rejects.toThrow();
      expect(fault.hasStruck).toBe(true);
      expect(await halves()).toEqual([]);
      await subject.write((transaction) => transaction.query(insert('C')));
      expect(await halves()).toEqual(['C']);
      expect(await leftBehind()).toEqual({ idle: 0, locks: 0 });
    });

    it.each(SQLSTATES)('with %s, appends each event of a group once or not at all, and to one answer each', async (sqlstate) => {
      const store = await open();
      const fault = proxy.fail(isBeginning, { sqlstate });
      const keys = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? `key ${index}` : undefined));
      const outcomes = await Promise.allSettled(keys.map((key) => append(store, key)));
      await fault.struck;
      const streams = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.events[0]?.stream : undefined));
      const answered = streams.filter((stream) => stream !== undefined);
      const events = await store.store.readAll({ limit: 100 });
      expect(new Set(answered).size).toBe(answered.length);
      expect(events.map(({ stream }) => stream).sort()).toEqual(answered.toSorted());
      const keyed = streams.filter((stream, index) => stream !== undefined && keys[index] !== undefined);
      expect(await countOf('SELECT count(*) FROM "idempotency_keys"')).toBe(keyed.length);
      expect(await store.verification.verify()).toEqual([]);
      expect(await leftBehind()).toEqual({ idle: 0, locks: 0 });
    });

    it('with a real cancellation at any moment, commits none of its statements alone', async () => {
      const { database: subject } = await open();
      let written = 0;
      const canceling = { isOn: true };
      const cancel = async (): Promise<void> => {
        while (canceling.isOn) {
          await observer.query(`SELECT pg_cancel_backend("pid") FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = '${APPLICATION}'`);
        }
      };
      const cancelled = cancel();
      const committed: string[] = [];
      for (; written < 300; written += 1) {
        const names = [`${written} A`, `${written} B`];
        await subject
          .write((transaction) => Promise.all(names.map((name) => transaction.query(insert(name)))))
          .then(
            () => committed.push(...names),
            () => undefined,
          );
      }
      canceling.isOn = false;
      await cancelled;
      expect(await halves()).toEqual(committed.sort());
    });
  });

  it('because it cannot be opened, fails the request that needed it and no other', async () => {
    const { database: subject } = await open();
    await Promise.all([subject.reader.query(SLOW_READ), subject.reader.query(SLOW_READ)]);
    await subject.write((transaction) => transaction.query(insert('A')));
    proxy.refuseConnections();
    const reads = [1, 2, 3].map(() => subject.reader.query(SLOW_READ));
    const outcomes = await Promise.allSettled(reads);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    for (let round = 0; round < 10; round += 1) {
      expect(await subject.reader.query(raw('SELECT 1 AS "one"'))).toEqual([{ one: 1 }]);
      await subject.write((transaction) => transaction.query(insert(`B ${round}`)));
    }
    expect(await halves()).toHaveLength(11);
  });

  it('is not one that answers statement after statement, however long they take together', async () => {
    const { database: subject } = await open({ timeout: 6_000 });
    await subject.write((transaction) => {
      for (let count = 0; count < 7; count += 1) transaction.execute(raw('SELECT pg_sleep(1)'));
      transaction.execute(insert('A'));
    });
    expect(await halves()).toEqual(['A']);
  });

  it('in a wait for the write lock, refuses every append, however many there are, and leaves nothing of them', async () => {
    const store = await open({ timeout: 5_000 });
    await append(store);
    await observer.query(`SELECT pg_advisory_lock(${WRITE_LOCK})`);
    for (const outcome of await Promise.allSettled(Array.from({ length: 500 }, () => append(store)))) {
      expect(outcome).toMatchObject({ reason: expect.any(DatabaseUnavailableError) });
    }
    await observer.query(`SELECT pg_advisory_unlock(${WRITE_LOCK})`);
    await append(store);
    expect(await store.store.readAll({ limit: 1_000 })).toHaveLength(2);
  });
});

function isBeginning({ from, type, text }: PassingMessage): boolean {
  return from === 'client' && (type === 'Q' || type === 'P') && /^(?:BEGIN|START TRANSACTION)\b/.test(text);
}

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => undefined);
  await client.connect();
  closeAtEnd(() => client.end());
  return client;
}
