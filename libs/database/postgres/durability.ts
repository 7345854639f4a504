import type { ClientBase, QueryConfig } from 'pg';
import { DatabaseUnavailableError } from '../database.errors.js';

/** What `pg_cancel_backend` and a timeout of the server end a statement with. */
const CANCELLED = '57014';
const WARNING = '01000';
const MOST_FLUSHES = 20;

/**
 * Asked anew by each statement, since it may be set at any time. With standbys that a commit waits for, a record on this server's disk
 * could still vanish with it.
 */
export const HAS_NO_STANDBYS = `current_setting('synchronous_standby_names') = ''`;

/**
 * A transaction of its own that only ends when the write-ahead log is on disk up to here. It writes a record, since PostgreSQL does not
 * wait for a transaction that has written none.
 */
const FLUSH = `pg_logical_emit_message(true, 'adoption', '')`;
export const FLUSH_ALWAYS = { name: 'flush', text: `SELECT ${FLUSH}` } as const satisfies QueryConfig;

/**
 * The same, if there is anything that is not on disk yet; costs no write where there is not. Where commits wait for standbys, nothing is
 * seen before these have it.
 */
export const FLUSH_IF_PENDING = {
  name: 'flush_if_pending',
  text: `SELECT CASE WHEN ${HAS_NO_STANDBYS} AND pg_current_wal_insert_lsn() > pg_current_wal_flush_lsn() THEN ${FLUSH} END`,
} as const satisfies QueryConfig;

/**
 * Sent behind a commit on its own connection: a server that has crashed since then has ended it. One that was cancelled is sent again there.
 * @throws DatabaseUnavailableError
 */
export async function flush(client: ClientBase): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await confirmed(client, () => client.query(FLUSH_ALWAYS));
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
 * Ends a transaction, or what was committed before. A server that is told to stop waiting for its standbys says so by a warning, and
 * confirms what only it has.
 * @throws DatabaseUnavailableError of unknown outcome then
 */
export async function confirmed<Result>(client: ClientBase, send: () => Promise<Result>): Promise<Result> {
  const warnings: string[] = [];
  const note = ({ code, message = '' }: { readonly code?: string | undefined; readonly message?: string | undefined }) => {
    if (code === WARNING) warnings.push(message);
  };
  client.on('notice', note);
  try {
    const result = await send();
    if (warnings.length > 0) throw new DatabaseUnavailableError(new Error(warnings.join('; ')), 'unknown');
    return result;
  } finally {
    client.off('notice', note);
  }
}
