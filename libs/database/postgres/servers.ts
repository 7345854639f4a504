import pg, { type ClientBase } from 'pg';
import type { DataSource, QueryRunner } from 'typeorm';
import { serverUrls } from '../database-url.js';

const MIN_VERSION = 140_000;
const USE_SESSION_MODE =
  'PostgreSQL is reached through a pooler in transaction or statement mode, which mixes sessions of the service: ' +
  'use a pooler in session mode (pgbouncer: pool_mode = session), or none';

/** Settings of PostgreSQL for a session, by their names. */
export type SessionSettings = Readonly<Record<string, string>>;

interface ServerAddress {
  /** Or the folder of its socket. */
  readonly host: string;
  readonly port: number;
}

interface ServerFacts {
  readonly isStandby: boolean;
  readonly encoding: string;
  readonly version: string;
  readonly versionNumber: number;
}

/** The server may be well, but cannot be written. */
class NotPrimaryError extends Error {
  override readonly name = 'NotPrimaryError';
  /** The SQLSTATE with which a standby refuses a write. */
  readonly code = '25006';
}

/**
 * The servers of a database, of which the last one found to be the primary is used. libpq asks one after the other; here all are
 * asked at once, so that one that does not answer delays nobody.
 */
export class Servers {
  /** What to connect with, except for the address of the server. */
  readonly url: string;
  /** Whether a server must take writes of transactions that do not say that they write. */
  readonly mustWrite: boolean;
  private readonly urls: readonly string[];
  private primary: ServerAddress | undefined;
  private search: Promise<ServerAddress> | undefined;

  constructor(url: string) {
    this.urls = serverUrls(url);
    this.url = this.urls[0] ?? url;
    this.mustWrite = new URL(this.url).searchParams.get('target_session_attrs') === 'read-write';
    if (this.urls.length === 1) this.primary = toAddress(new pg.Client({ connectionString: this.url }));
  }

  /** Returns the server to connect to. @throws Error if none is known, and none is found within `timeout` milliseconds */
  async choose(timeout: number): Promise<ServerAddress> {
    return this.primary ?? this.find(timeout);
  }

  /** Notes that no connection to this server could be made, so that the next one looks for the primary. */
  forget(address: ServerAddress): void {
    if (this.urls.length > 1 && this.primary === address) this.primary = undefined;
  }

  /** Resolves when a server says on a connection of its own that it is the primary. @throws Error if none does within `timeout` milliseconds */
  find(timeout: number): Promise<ServerAddress> {
    this.search ??= this.ask(timeout).finally(() => (this.search = undefined));
    return this.search;
  }

  private async ask(timeout: number): Promise<ServerAddress> {
    try {
      this.primary = await Promise.any(this.urls.map((url) => askServer(url, timeout, this.mustWrite)));
      return this.primary;
    } catch (error) {
      const reasons = (error as AggregateError).errors as Error[];
      if (reasons.length === 1) throw reasons[0] ?? error;
      throw new NotPrimaryError(`none of the servers is a primary that answers: ${reasons.map(({ message }) => message).join('; ')}`, {
        cause: error,
      });
    }
  }
}

/** @throws Error that names the server, if it does not answer or is not the primary */
async function askServer(url: string, timeout: number, mustWrite: boolean): Promise<ServerAddress> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeout, query_timeout: timeout });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await setUpSession(client, {}, mustWrite);
    return toAddress(client);
  } catch (error) {
    const { host, port } = client;
    if (error instanceof Error && !error.message.includes(host)) error.message = `${host}:${port}: ${error.message}`;
    throw error;
  } finally {
    client.end().catch(() => undefined);
  }
}

function toAddress({ host, port }: pg.Client): ServerAddress {
  return { host, port };
}

/**
 * Checks that the server of a new session can be used, and sets the session up. By statements, since a pooler refuses or drops settings of
 * the connection.
 * @throws NotPrimaryError for a standby, and if `mustWrite` for a server whose transactions only read unless they say otherwise
 * @throws Error for a server that can never be used, or a session that is not kept for its connection
 */
export async function setUpSession(client: ClientBase, settings: SessionSettings, mustWrite: boolean): Promise<void> {
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
  if (!was || !is) throw new Error('PostgreSQL did not describe the session');
  const { isStandby, encoding, version, versionNumber } = is;
  if (isStandby) throw new NotPrimaryError('the server is a standby, and only the primary can be used');
  if (versionNumber < MIN_VERSION) throw new Error(`PostgreSQL ${version} is too old; version 14 or newer is needed`);
  if (encoding !== 'UTF8') {
    throw new Error(`the database has the encoding ${encoding}; create it with ENCODING 'UTF8' TEMPLATE template0`);
  }
  if (mustWrite && was['onlyReads'] === 'on') throw new NotPrimaryError('the server has default_transaction_read_only = on');
  const lost = names.filter((name) => was[name] !== is[name]);
  if (lost.length > 0) throw new Error(`a session does not keep ${lost.join(', ')}: ${USE_SESSION_MODE}`);
}

/**
 * Asks two open connections for their sessions alternately: a pooler that mixes sessions gives the one that was left last, or the one
 * that has rested longest.
 * @throws Error if a session of the server is not kept for its connection
 */
export async function assertOwnSessions(source: DataSource): Promise<void> {
  const [one, other] = [source.createQueryRunner(), source.createQueryRunner()];
  try {
    await Promise.all([one.connect(), other.connect()]);
    const sessions: (number | undefined)[] = [];
    for (const runner of [one, other, other, one]) sessions.push(await readSessionId(runner));
    const [first, second, secondAgain, firstAgain] = sessions;
    if (first === second || first !== firstAgain || second !== secondAgain) throw new Error(USE_SESSION_MODE);
  } finally {
    await Promise.all([one.release(), other.release()]);
  }
}

async function readSessionId(runner: QueryRunner): Promise<number | undefined> {
  const [session] = (await runner.query('SELECT pg_backend_pid() AS "pid"')) as { pid: number }[];
  return session?.pid;
}

/** Returns a sentence for each setting of the server by which an acknowledged write may be lost. */
export async function findUnsafeSettings(source: DataSource): Promise<string[]> {
  const [server] = await source.query<{ fsync: string; synchronousCommit: string }[]>(
    `SELECT current_setting('fsync') AS "fsync", current_setting('synchronous_commit') AS "synchronousCommit"`,
  );
  return [
    ...(server?.fsync === 'off' ? ['PostgreSQL runs with fsync = off: a crash of its machine may destroy the whole database.'] : []),
    ...(server?.synchronousCommit === 'off'
      ? ['PostgreSQL runs with synchronous_commit = off: a crash may lose writes that were acknowledged.']
      : []),
  ];
}
