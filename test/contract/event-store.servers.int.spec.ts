import pg from 'pg';
import { DatabaseUnavailableError, migrateDatabase, parseDatabaseUrl, raw, type DatabaseLocation } from '#libs/database';
import type { AppendOptions } from '#libs/event-sourcing';
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
      const { url, remove } = await createPostgresDatabase(migrated.url);
      return { location: parseDatabaseUrl(url), remove };
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
      store.append([{ stream: { newIn: 'counter' }, expectedVersion: 'noStream', events: [counted(1)] }], {
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

    it('commits on while another transaction that appends nothing stays open', async () => {
      await observer.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
      await observer.query('SELECT count(*) FROM "events"');
      await append(first);
      await append(second);
      expect((await first.store.readAll({ limit: 10 })).map(({ position }) => position)).toEqual([1n, 2n]);
      await observer.query('COMMIT');
    });

    it.each(['TRUNCATE "events"', 'TRUNCATE "events" CASCADE'])('refuses %s', async (statement) => {
      await append(first);
      await expect(first.database.write((transaction) => transaction.query(raw(statement)))).rejects.toThrow('append-only');
      expect(await first.store.lastPosition()).toBe(1n);
    });

    it('looks up the streams that it appends to, and reads no more of the log, however short that was at first', async () => {
      const appendTo = (streams: readonly string[], expectedVersion: number, withinTransaction?: AppendOptions['withinTransaction']) =>
        first.store.append(
          streams.map((stream) => ({ stream, expectedVersion, events: [counted(1)] })),
          { metadata: { actor: 'system' }, ...(withinTransaction && { withinTransaction }) },
        );
      const streams = Array.from({ length: 2_000 }, (_, index) => `counter-${index}`);
      await appendTo(streams.slice(0, 1), 0);
      await appendTo(streams.slice(0, 1), 1);
      await appendTo(streams.slice(1), 0);
      let rowsRead = Infinity;
      await appendTo(streams.slice(1, 3), 1, async (transaction) => {
        // It may count what the session did in the second before, too.
        const [row] = await transaction.query<{ seq_tup_read: string }>(
          raw(`SELECT "seq_tup_read" FROM pg_stat_xact_user_tables WHERE "relname" = 'events'`),
        );
        rowsRead = Number(row?.seq_tup_read);
      });
      expect(rowsRead).toBeLessThan(streams.length);
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
          stuck = first.database.write(async (transaction) => {
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

      it('gives up a write while another process keeps the write lock, whatever was sent with the wish for it', async () => {
        let release: () => void = () => undefined;
        const gate = new Promise<void>((resolve) => (release = resolve));
        let held: Promise<void> = Promise.resolve();
        await new Promise<void>((resolve) => {
          held = second.database.write(async (transaction) => {
            // Its answer says that the lock is had.
            await transaction.query(raw('SELECT 1'));
            resolve();
            await gate;
          });
        });
        await expect(append(first)).rejects.toThrow(DatabaseUnavailableError);
        release();
        await held;
        await append(first);
        expect(await first.store.lastPosition()).toBe(1n);
      });

      it('gives up a lock that is not free in time, and only that write', async () => {
        await observer.query('BEGIN');
        await observer.query('LOCK TABLE "sequences"');
        await expect(append(first)).rejects.toThrow(DatabaseUnavailableError);
        expect(await first.store.readAll({ limit: 10 })).toEqual([]);
        await observer.query('ROLLBACK');
        await append(first);
        expect(await first.store.lastPosition()).toBe(1n);
      });
    });
  });
});
