import pg from 'pg';
import { migrateDatabase, parseDatabaseUrl, raw } from '#libs/database';
import { libraryMigrations } from '#libs/testing';
import { startPgbouncer } from '../databases/poolers.fixture.js';
import { createPostgresDatabase } from '../databases/test-database.fixture.js';
import { counted } from './counting.fixture.js';
import { openStore } from './store-under-test.js';

/** What a session of the service must be set to, however it was reached. */
const GUARDS = raw(`SELECT current_setting('default_transaction_read_only') AS "readOnly",
  current_setting('lock_timeout') AS "lock", current_setting('idle_in_transaction_session_timeout') AS "idle"`);

describe('a pooler before PostgreSQL', () => {
  it('in session mode changes nothing: sessions have their settings, and the events are appended', async () => {
    const { url } = await createPostgresDatabase();
    const location = { ...parseDatabaseUrl(await startPgbouncer(url, 'pool_mode = session')), timeout: 4_000 };
    await migrateDatabase(location, libraryMigrations);
    const { database, store } = await openStore(location);
    const append = () =>
      store.append([{ stream: { newIn: 'counter' }, events: [counted(1)] }], {
        metadata: { actor: 'system' },
      });
    const appended = await Promise.all([append(), append(), append()]);
    expect(new Set(appended.map(({ events }) => events[0]?.position)).size).toBe(3);
    expect(await database.reader.query(GUARDS)).toEqual([{ readOnly: 'on', lock: '3750ms', idle: '4s' }]);
    await expect(database.reader.query(raw('CREATE TABLE "unasked" ()'))).rejects.toMatchObject({ code: 'service_unavailable' });
  });

  it.each([
    ['transaction', ''],
    ['transaction', 'server_round_robin = 1'],
    ['statement', ''],
  ])('in %s mode is refused by name before anything is changed (%s)', async (mode, further) => {
    const { url } = await createPostgresDatabase();
    const pooled = parseDatabaseUrl(await startPgbouncer(url, `pool_mode = ${mode}\n${further}`));
    await expect(migrateDatabase(pooled, libraryMigrations)).rejects.toThrow(
      'PostgreSQL is reached through a pooler in transaction or statement mode, which mixes sessions of the service: ' +
        'use a pooler in session mode (pgbouncer: pool_mode = session), or none',
    );
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    const { rows } = await client.query<{ migrations: string | null }>(`SELECT to_regclass('migrations') AS "migrations"`);
    expect(rows).toEqual([{ migrations: null }]);
    await client.end();
  });
});
