import pg from 'pg';
import {
  DatabaseUnavailableError,
  migrateDatabase,
  parseDatabaseUrl,
  plannedForValues,
  raw,
  sql,
  type DatabaseLocation,
} from '#libs/database';
import { libraryMigrations, until } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { createPostgresDatabase, type TestDatabase } from '../databases/test-database.fixture.js';
import { counted } from './counting.fixture.js';
import { describeEventStoreContract } from './event-store.contract.js';
import { openStore, type StoreUnderTest } from './store-under-test.js';

describe('event stores on PostgreSQL', () => {
  // Each test begins with a copy, which is there sooner than what migrations make.
  let migrated: TestDatabase;
  beforeAll(async () => {
    migrated = await createPostgresDatabase();
    await migrateDatabase(parseDatabaseUrl(migrated.url), libraryMigrations);
  });

  describeEventStoreContract('PostgreSQL', {
    async create() {
      const { url } = await createPostgresDatabase(migrated.url);
      return { location: parseDatabaseUrl(url), url };
    },
  });

  describe('alone', () => {
    let database: TestDatabase;
    let first: StoreUnderTest;
    let second: StoreUnderTest;
    let observer: pg.Client;

    beforeEach(async () => {
      database = await createPostgresDatabase(migrated.url);
      first = await openStore(parseDatabaseUrl(database.url));
      second = await openStore(parseDatabaseUrl(database.url));
      observer = new pg.Client({ connectionString: database.url });
      closeAtEnd(() => observer.end());
      await observer.connect();
    });
    const append = ({ store }: StoreUnderTest, withinTransaction: () => Promise<void> = () => Promise.resolve()) =>
      store.append([{ stream: { newIn: 'counter' }, events: [counted(1)] }], {
        metadata: { actor: 'system' },
        withinTransaction,
      });

    const waitsForLock = () =>
      until(async () => {
        const { rows } = await observer.query(`SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = pg_locks.database
        WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`);
        return rows.length > 0;
      });

    it('skips nothing for a reader that follows the log while one transaction is held open and later ones come to commit', async () => {
      let release: () => void = () => undefined;
      let entered: () => void = () => undefined;
      const inside = new Promise<void>((resolve) => (entered = resolve));
      const gate = new Promise<void>((resolve) => (release = resolve));
      const seen: bigint[] = [];
      const follow = async () => {
        for (const { position } of await second.store.readAll({ after: seen.at(-1) ?? 0n, limit: 100 })) seen.push(position);
      };

      const held = append(first, () => {
        entered();
        return gate;
      });
      await inside;
      const later = Array.from({ length: 5 }, () => append(second));
      await Promise.race([waitsForLock(), Promise.all(later)]);
      await follow();
      release();
      await Promise.all([held, ...later]);
      await follow();
      expect(seen).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
    });

    it('refuses TRUNCATE', async () => {
      await append(first);
      const statement = raw('TRUNCATE "events" CASCADE');
      await expect(first.database.transaction((transaction) => transaction.query(statement))).rejects.toThrow('append-only');
      expect(await first.store.lastPosition()).toBe(1n);
    });

    it('keeps no plan of a statement whose cost depends on its values, and that of others', async () => {
      const prepared = await first.database.transaction(async (transaction) => {
        await transaction.query(sql`SELECT ${'any'}::text AS "any"`);
        await transaction.query(plannedForValues(sql`SELECT ${'these'}::text AS "these"`));
        return transaction.query<{ statement: string }>(raw('SELECT "statement" FROM pg_prepared_statements'));
      });
      const statements = prepared.map(({ statement }) => statement).join('\n');
      expect(statements).toContain('AS "any"');
      expect(statements).not.toContain('AS "these"');
    });

    describe('that waits for two seconds', () => {
      beforeEach(async () => {
        await first.close();
        first = await openStore({ ...parseDatabaseUrl(database.url), timeout: 2_000 } as DatabaseLocation);
      });

      it('gives up the write lock of a process that stops in the middle of a transaction', async () => {
        let proceed: () => void = () => undefined;
        const gate = new Promise<void>((resolve) => (proceed = resolve));
        let stuck: Promise<void> = Promise.resolve();
        const pid = await new Promise<number>((resolve) => {
          stuck = first.database.transaction(async (transaction) => {
            const [row] = await transaction.query<{ pid: number }>(raw('SELECT pg_backend_pid() AS "pid"'));
            resolve(row?.pid ?? 0);
            await gate;
            await transaction.query(raw('SELECT 1'));
          });
        });
        const refused = expect(stuck).rejects.toThrow('The database cannot be used at the moment');
        await until(async () => (await observer.query('SELECT 1 FROM pg_stat_activity WHERE pid = $1', [pid])).rowCount === 0);
        proceed();
        await refused;
        await append(second);
        expect(await second.store.lastPosition()).toBe(1n);
      });

      it('ends a statement that takes longer than the service may wait, and goes on', async () => {
        await expect(first.database.reader.query(raw('SELECT pg_sleep(60)'))).rejects.toThrow(DatabaseUnavailableError);
        expect(await first.database.reader.query(raw('SELECT 1 AS "one"'))).toEqual([{ one: 1 }]);
      });

      it('gives up every write while another process keeps the write lock, however many there are, and leaves nothing of them', async () => {
        let release: () => void = () => undefined;
        const gate = new Promise<void>((resolve) => (release = resolve));
        let held: Promise<void> = Promise.resolve();
        await new Promise<void>((resolve) => {
          held = second.database.transaction(async (transaction) => {
            // Its answer says that the lock is had.
            await transaction.query(raw('SELECT 1'));
            resolve();
            await gate;
          });
        });
        for (const outcome of await Promise.allSettled(Array.from({ length: 500 }, () => append(first)))) {
          expect(outcome).toMatchObject({ reason: expect.any(DatabaseUnavailableError) });
        }
        release();
        await held;
        await append(first);
        expect(await first.store.lastPosition()).toBe(1n);
      });
    });
  });
});
