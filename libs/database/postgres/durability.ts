import type { ClientBase, QueryConfig } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { DatabaseUnavailableError } from '../database.errors.js';

/** What `pg_cancel_backend` and a timeout of the server end a statement with. */
const CANCELLED = '57014';
const MOST_FLUSHES = 20;

/**
 * A transaction of its own that only ends when the write-ahead log is on disk up to here. It writes a record, since PostgreSQL does not
 * wait for a transaction that has written none.
 */
const FLUSH = `pg_logical_emit_message(true, 'adoption', '')`;
export const FLUSH_ALWAYS = { name: 'flush', text: `SELECT ${FLUSH}` } as const satisfies QueryConfig;

/** The same, if there is anything that is not on disk yet; costs no write where there is not. */
export const FLUSH_IF_PENDING = {
  name: 'flush_if_pending',
  text: `SELECT CASE WHEN pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn() THEN ${FLUSH} END`,
} as const satisfies QueryConfig;

/** How a server is worked with so that nobody is told of what could still vanish. */
export interface Durability {
  /** A commit gives its locks back before it is on disk, and the acknowledgement alone waits for that. */
  readonly commitsAhead: boolean;
  /** What was read may have been committed ahead, and is given when it is on disk. */
  readonly readsFlush: boolean;
}

/**
 * Sent behind a commit on its own connection: a server that has crashed since then has ended it. One that was cancelled is sent again there.
 * @throws DatabaseUnavailableError
 */
export async function flush(client: ClientBase): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await client.query(FLUSH_ALWAYS);
      return;
    } catch (error) {
      if (attempt === MOST_FLUSHES || !isCancellation(error)) throw new DatabaseUnavailableError(error, 'unknown');
    }
  }
}

function isCancellation(error: unknown): boolean {
  return typeof error === 'object' && error !== null && Reflect.get(error, 'code') === CANCELLED;
}

/**
 * Finds out what a server allows. With standbys that a commit waits for, a record on this server's disk could still vanish with it, so
 * that a commit is not seen before they have it; a standby itself cannot flush. Behind a pooler in transaction mode statements of one
 * connection go to several sessions.
 */
export async function findDurability(writeSource: DataSource, readSource: DataSource): Promise<Durability> {
  const [server] = await writeSource.query<{ flushes: boolean }[]>(
    `SELECT current_setting('synchronous_standby_names') = '' AND NOT pg_is_in_recovery() AS "flushes"`,
  );
  const readsFlush = server?.flushes === true;
  return { readsFlush, commitsAhead: readsFlush && !(await sharesSessions(writeSource, readSource)) };
}

/** Whether a pooler gives one session of the server to connections of two pools in turns, while both are open. */
export async function sharesSessions(one: DataSource, other: DataSource): Promise<boolean> {
  if (one === other) return false;
  const [first, second] = [one.createQueryRunner(), other.createQueryRunner()];
  try {
    await Promise.all([first.connect(), second.connect()]);
    // The second gets the session that the first has just left.
    return (await sessionOf(first)) === (await sessionOf(second));
  } finally {
    await Promise.all([first.release(), second.release()]);
  }
}

async function sessionOf(runner: QueryRunner): Promise<number | undefined> {
  const [session] = (await runner.query('SELECT pg_backend_pid() AS "pid"')) as { pid: number }[];
  return session?.pid;
}
