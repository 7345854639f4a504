import pg from 'pg';
import { parseDatabaseUrl, raw, type DatabaseLocation } from '#libs/database';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { openPostgresProxy, type PassingMessage, type PostgresProxy } from '../databases/postgres-proxy.fixture.js';
import { createPostgresDatabase } from '../databases/test-database.fixture.js';
import { counted } from './counting.fixture.js';
import { openStore, type StoreUnderTest } from './store-under-test.js';

const APPLICATION = 'one-connection-fails';
const WRITE_LOCK = 4_201_337;
const SLOW_READ = raw('SELECT pg_sleep(0.5)');

describe('a connection to PostgreSQL that fails alone', () => {
  let proxy: PostgresProxy;
  let observer: pg.Client;

  beforeEach(async () => {
    const { url } = await createPostgresDatabase();
    proxy = await openPostgresProxy(url);
    observer = new pg.Client({ connectionString: url });
    await observer.connect();
    closeAtEnd(() => observer.end());
    await observer.query('CREATE TABLE "halves" ("half" text PRIMARY KEY)');
  });
  const open = async (settings: Partial<DatabaseLocation> = {}): Promise<StoreUnderTest> => {
    const store = await openStore({ ...parseDatabaseUrl(proxy.url), applicationName: APPLICATION, ...settings } as DatabaseLocation);
    closeAtEnd(() => proxy.restore());
    return store;
  };
  const append = ({ store }: StoreUnderTest, key?: string) =>
    store.execute(() => [{ stream: { newIn: 'counter' }, events: [counted(1)] }], {
      metadata: { actor: 'system' },
      idempotency: key === undefined ? undefined : { scope: 'test', key, fingerprint: key },
    });
  const insert = (half: string) => raw(`INSERT INTO "halves" VALUES ('${half}')`);
  const halves = async (): Promise<string[]> => {
    const { rows } = await observer.query<{ half: string }>('SELECT "half" FROM "halves" ORDER BY "half"');
    return rows.map(({ half }) => half);
  };
  const countOf = async (query: string): Promise<number> => Number((await observer.query<{ count: string }>(query)).rows[0]?.count);
  const expectNothingLeft = async () => {
    const idle = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'`;
    const locks = `SELECT count(*) FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
       WHERE locktype = 'advisory' AND objid = ${WRITE_LOCK} AND granted AND datname = current_database()`;
    expect([await countOf(idle), await countOf(locks)]).toEqual([0, 0]);
  };

  // A cancellation and a lost race are answered with an outage; the last is an error that the service knows nothing about.
  it.each(['57014', '40001', 'XX000'])(
    'whose beginning of a transaction is refused with %s commits none of what was sent behind it, and each event of a group once',
    async (sqlstate) => {
      const store = await open();
      const { database: subject } = store;
      const fault = proxy.fail(isBeginning, { sqlstate });
      await expect(
        subject.transaction((transaction) => Promise.all([transaction.query(insert('A')), transaction.query(insert('B'))])),
      ).rejects.toThrow();
      expect(fault.hasStruck).toBe(true);
      await subject.transaction((transaction) => transaction.query(insert('C')));
      expect(await halves()).toEqual(['C']);

      const ofGroup = proxy.fail(isBeginning, { sqlstate });
      const keys = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? `key ${index}` : undefined));
      const outcomes = await Promise.allSettled(keys.map((key) => append(store, key)));
      await ofGroup.struck;
      const streams = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.events[0]?.stream : undefined));
      const answered = streams.filter((stream) => stream !== undefined);
      expect(new Set(answered).size).toBe(answered.length);
      expect((await store.store.readAll({ limit: 100 })).map(({ stream }) => stream).sort()).toEqual(answered.toSorted());
      const keyed = streams.filter((stream, index) => stream !== undefined && keys[index] !== undefined);
      expect(await countOf('SELECT count(*) FROM "idempotency_keys"')).toBe(keyed.length);
      expect(await store.readModels.verify()).toEqual([]);
      await expectNothingLeft();
    },
  );

  it('by a real cancellation at any moment commits none of its statements alone', async () => {
    const { database: subject } = await open();
    const canceling = { isOn: true };
    const cancel = async (): Promise<void> => {
      while (canceling.isOn) {
        await observer.query(`SELECT pg_cancel_backend("pid") FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = '${APPLICATION}'`);
      }
    };
    const cancelled = cancel();
    const committed: string[] = [];
    for (let written = 0; written < 100; written += 1) {
      const names = [`${written} A`, `${written} B`];
      await subject
        .transaction((transaction) => Promise.all(names.map((name) => transaction.query(insert(name)))))
        .then(
          () => committed.push(...names),
          () => undefined,
        );
    }
    canceling.isOn = false;
    await cancelled;
    expect(await halves()).toEqual(committed.sort());
  });

  it('because it cannot be opened fails the request that needed it and no other, and leaves no half of a write', async () => {
    const { database: subject } = await open();
    await Promise.all([subject.reader.query(SLOW_READ), subject.reader.query(SLOW_READ)]);
    await subject.transaction((transaction) => transaction.query(insert('A')));
    proxy.refuseConnections();
    await subject.transaction(async (transaction) => {
      await transaction.query(insert('B 1'));
      const reads = await Promise.allSettled([1, 2, 3].map(() => subject.reader.query(SLOW_READ)));
      expect(reads.map(({ status }) => status).sort()).toEqual(['fulfilled', 'fulfilled', 'rejected']);
      await transaction.query(insert('B 2'));
    });
    for (let round = 0; round < 10; round += 1) {
      expect(await subject.reader.query(raw('SELECT 1 AS "one"'))).toEqual([{ one: 1 }]);
      await subject.transaction((transaction) => transaction.query(insert(`C ${round}`)));
    }
    expect(await halves()).toHaveLength(13);
    await expectNothingLeft();
  });

  it('ends when it gives no answer, also after a rest, and the next write takes another one', async () => {
    const { database: subject } = await open({ timeout: 500 });
    await subject.transaction((transaction) => transaction.query(insert('A')));
    // For longer than it may be silent with a statement.
    await observer.query('SELECT pg_sleep(1)');
    const fault = proxy.fail(isBeginning, 'stall');
    await expect(subject.transaction((transaction) => transaction.query(insert('B')))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(fault.hasStruck).toBe(true);
    await subject.transaction((transaction) => transaction.query(insert('C')));
    expect(await halves()).toEqual(['A', 'C']);
  });

  it('stops a start when it gives no answer, which says so', async () => {
    await (await open()).close();
    proxy.fail(({ text }) => text === 'SELECT pg_backend_pid()', 'stall');
    await expect(open({ timeout: 500 })).rejects.toThrow('PostgreSQL did not answer within 500 ms');
  });

  it('is not one that answers statement after statement, however long they take together', async () => {
    const { database: subject } = await open({ timeout: 2_000 });
    await subject.transaction((transaction) => {
      for (let count = 0; count < 8; count += 1) transaction.execute(raw('SELECT pg_sleep(0.4)'));
      transaction.execute(insert('A'));
    });
    expect(await halves()).toEqual(['A']);
  });
});

function isBeginning({ from, type, text }: PassingMessage): boolean {
  return from === 'client' && (type === 'Q' || type === 'P') && /^(?:BEGIN|START TRANSACTION)\b/.test(text);
}
