import type { ClientBase } from 'pg';

const OLDEST_VERSION = 140_000;

/** Settings of PostgreSQL that a session has, by their names. */
export type SessionSettings = Readonly<Record<string, string>>;

interface ServerFacts {
  readonly isStandby: boolean;
  readonly encoding: string;
  readonly version: string;
  readonly versionNumber: number;
}

/** The server may be well, but is not the one that can be written. */
export class NotPrimaryError extends Error {
  override readonly name = 'NotPrimaryError';
  /** SQLSTATE of what a standby answers to a write. */
  readonly code = '25006';
}

/**
 * Asks a new session whether its server can be used, and sets it up. By statements, since a pooler refuses or drops what is set while
 * connecting.
 * @throws NotPrimaryError for a standby, and where `mustWrite` for a server whose transactions only read unless they say otherwise
 * @throws Error for a server that can never be used, or a session that is not kept for its connection
 */
export async function greet(client: ClientBase, settings: SessionSettings, mustWrite: boolean): Promise<void> {
  const names = Object.keys(settings);
  const set = Object.entries(settings).map(([name, value]) => `set_config('${name}', '${value}', false) AS "${name}"`);
  // Two statements in one packet: a pooler that gives a session for a transaction at a time may give the second to another one.
  const [before, after] = await Promise.all([
    client.query<Record<string, string>>(
      `SELECT ${[`current_setting('default_transaction_read_only') AS "onlyReads"`, ...set].join(', ')}`,
    ),
    client.query<ServerFacts & Record<string, string>>(
      `SELECT pg_is_in_recovery() AS "isStandby", current_setting('server_encoding') AS "encoding",
         current_setting('server_version') AS "version", current_setting('server_version_num')::int AS "versionNumber"
         ${names.map((name) => `, current_setting('${name}') AS "${name}"`).join('')}`,
    ),
  ]);
  const [was, is] = [before.rows[0], after.rows[0]];
  if (!was || !is) throw new Error('PostgreSQL did not tell of the session');
  assertUsable(is);
  if (mustWrite && was['onlyReads'] === 'on') throw new NotPrimaryError('the server has default_transaction_read_only = on');
  const lost = names.filter((name) => was[name] !== is[name]);
  if (lost.length > 0) throw new Error(`a session does not keep ${lost.join(', ')}: ${USE_SESSION_MODE}`);
}

export const USE_SESSION_MODE =
  'PostgreSQL is reached through a pooler in transaction or statement mode, which mixes sessions of the service: ' +
  'use a pooler in session mode (pgbouncer: pool_mode = session), or none';

function assertUsable({ isStandby, encoding, version, versionNumber }: ServerFacts): void {
  if (isStandby) throw new NotPrimaryError('the server is a standby, and only the primary can be used');
  if (versionNumber < OLDEST_VERSION) throw new Error(`PostgreSQL ${version} is too old; version 14 or newer is needed`);
  if (encoding !== 'UTF8') {
    throw new Error(`the database has the encoding ${encoding}; create it with ENCODING 'UTF8' TEMPLATE template0`);
  }
}
