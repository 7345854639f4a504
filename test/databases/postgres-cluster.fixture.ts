import { startOwnPostgres, type OwnPostgres } from './own-postgres.fixture.js';
import { rowsOf } from './test-database.fixture.js';
import { openPostgresProxy, type PostgresProxy } from './postgres-proxy.fixture.js';

const STANDBY_NAME = 'adoption_standby';
const PRIMARY_SETTINGS = { wal_level: 'replica', max_wal_senders: '5', wal_keep_size: '64MB' };

/** A primary and a standby of it, reached at one address that leads to the primary of the moment. */
export interface PostgresCluster {
  /** The address that leads to the primary. */
  readonly url: string;
  /** The way from that address. */
  readonly proxy: PostgresProxy;
  /** Those that were made as what they are called, whatever they are by now. */
  readonly primary: OwnPostgres;
  readonly standby: OwnPostgres;
  /** How many bytes of the primary's log the standby has not applied yet. */
  lag(): Promise<bigint>;
  /** Kills the primary where it is, makes the standby the primary and has the address lead there. */
  failOver(): Promise<void>;
}

/**
 * Makes and starts a cluster.
 * @param synchronous whether a commit waits until the standby has it on disk
 */
export async function startPostgresCluster({ synchronous = false }: { readonly synchronous?: boolean } = {}): Promise<PostgresCluster> {
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
