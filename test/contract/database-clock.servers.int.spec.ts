import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Clock } from '#libs/observability';
import { openClock, parseDatabaseUrl, sql } from '#libs/database';
import { until } from '#libs/testing';
import { createPostgresDatabase, execute, type TestDatabase } from '../databases/test-database.fixture.js';
import { openStore, type StoreUnderTest } from './store-under-test.js';

const HOUR = 3_600_000;
const machineTime = Date.now.bind(Date);

describe('the clock of a PostgreSQL server', () => {
  const lines: string[] = [];
  let database: TestDatabase;
  let store: StoreUnderTest;
  let clock: Clock & { measure(): Promise<void> };
  beforeEach(async () => {
    database = await createPostgresDatabase();
    store = await openStore(parseDatabaseUrl(database.url));
    clock = (await openClock(store.database)) as typeof clock;
    lines.length = 0;
    const keep = (message: string, context: string) => (context === 'Clock' ? lines.push(message) : undefined);
    Logger.overrideLogger({ log: keep, warn: keep, error: () => undefined });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    Logger.overrideLogger(false);
  });

  const setMachineClock = (by: number) => jest.spyOn(Date, 'now').mockImplementation(() => machineTime() + by);

  it('goes on as before when that of the machine is set, which is told once for each change', async () => {
    const before = clock.now().getTime();
    expect(Math.abs(clock.skew)).toBeLessThan(2_000);
    setMachineClock(HOUR);
    expect(clock.now().getTime() - before).toBeLessThan(HOUR / 2);
    expect(clock.skew / HOUR).toBeCloseTo(1);
    await clock.measure();
    await clock.measure();
    expect(clock.now().getTime() - before).toBeLessThan(HOUR / 2);
    setMachineClock(-2 * HOUR);
    await clock.measure();
    jest.restoreAllMocks();
    await clock.measure();
    await clock.measure();
    expect(lines).toEqual([
      expect.stringMatching(/^This machine's clock is 3[56]\d\d\.\d s ahead of the database's/),
      expect.stringMatching(/^This machine's clock is 7[12]\d\d\.\d s behind the database's/),
      'The clocks of this machine and of the database agree again.',
    ]);
  });

  it('is followed when another server with another clock takes over', async () => {
    const before = clock.now().getTime();
    await execute(
      database.url,
      `CREATE SCHEMA "of_another_server";
       CREATE FUNCTION "of_another_server"."clock_timestamp"() RETURNS timestamptz LANGUAGE sql
         AS $$ SELECT "pg_catalog"."clock_timestamp"() + interval '1 hour' $$;
       DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = "of_another_server", "pg_catalog", "public"', current_database()); END $$;
       SELECT pg_terminate_backend("pid") FROM pg_stat_activity WHERE "datname" = current_database() AND "pid" <> pg_backend_pid()`,
    );
    // Any use of the database makes the connection that replaces those that were lost.
    await until(async () => {
      await store.database.reader.query(sql`SELECT 1`).catch(() => undefined);
      return clock.now().getTime() - before >= HOUR;
    });
    expect(clock.skew / HOUR).toBeCloseTo(-1);
  });
});
