import { startOwnPostgres } from './own-postgres.fixture.js';
import { rowsOf } from './test-database.fixture.js';
import { openPostgresProxy } from './postgres-proxy.fixture.js';

const STANDBY_NAME = 'adoption_standby';
const PRIMARY_SETTINGS = { wal_level: 'replica', max_wal_senders: '5', wal_keep_size: '64MB' };

/** Starts a primary and a standby, for which commits wait if it is synchronous, reached at one address that leads to the primary of the moment. */
export async function startPostgresCluster({ synchronous = false }: { readonly synchronous?: boolean } = {}) {
  const primary = await startOwnPostgres(PRIMARY_SETTINGS);
  const backup = await primary.takeBaseBackup();
  const named = { ...backup, url: `${backup.url}?application_name=${STANDBY_NAME}` };
  const standby = await startOwnPostgres({ ...PRIMARY_SETTINGS }, undefined, { backup: named, as: 'standby' });
  if (synchronous) await primary.set('synchronous_standby_names', STANDBY_NAME);
  const proxy = await openPostgresProxy(primary.url);
  return {
    url: proxy.url,
    proxy,
    primary,
    standby,
    /** How many bytes of the primary's log the standby has not applied yet. */
    async lag() {
      const [state] = await rowsOf(
        primary.url,
        `SELECT coalesce(max(pg_wal_lsn_diff(pg_current_wal_lsn(), "replay_lsn")), 1)::bigint AS "bytes" FROM pg_stat_replication`,
      );
      return BigInt((state as { readonly bytes: string }).bytes);
    },
    async failOver() {
      await primary.kill();
      await standby.promote();
      proxy.redirect(standby.url);
    },
  };
}
