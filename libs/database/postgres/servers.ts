import type { Socket } from 'node:net';
import pg, { type ClientBase, type ClientConfig } from 'pg';
import type { DataSource } from 'typeorm';
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
  readonly onlyReads: string;
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

/** A statement was sent, and for longer than the service may wait nothing came back. */
class SilentServerError extends Error {
  override readonly name = 'SilentServerError';
  readonly code = 'ETIMEDOUT';

  constructor(milliseconds: number) {
    super(`PostgreSQL did not answer within ${milliseconds} ms`);
  }
}

/** The servers of a database. libpq asks one after the other for the primary; here all are asked at once, so that one that does not answer delays nobody. */
export class Servers {
  /** What to connect with, except for the address of the server. */
  readonly url: string;
  /** Whether a server must take writes of transactions that do not say that they write. */
  readonly mustWrite: boolean;
  private readonly urls: readonly string[];
  private search: Promise<ServerAddress> | undefined;

  constructor(url: string) {
    this.urls = serverUrls(url);
    this.url = this.urls[0] ?? url;
    this.mustWrite = new URL(this.url).searchParams.get('target_session_attrs') === 'read-write';
  }

  /**
   * Returns the server to connect to; nothing if there is only one. Connections that are opened at once share one search.
   * @throws Error if none is found within `timeout` milliseconds
   */
  async choosePrimary(timeout: number): Promise<Partial<ServerAddress>> {
    if (this.urls.length === 1) return {};
    this.search ??= this.findPrimary(timeout).finally(() => (this.search = undefined));
    return this.search;
  }

  private async findPrimary(timeout: number): Promise<ServerAddress> {
    try {
      return await Promise.any(this.urls.map((url) => assertPrimary(url, timeout, this.mustWrite)));
    } catch (error) {
      const reasons = (error as AggregateError).errors.map(({ message }: Error) => message).join('; ');
      throw new NotPrimaryError(`none of the servers is a primary that answers: ${reasons}`, { cause: error });
    }
  }
}

/** @throws Error that names the server, if it does not answer or is not the primary */
async function assertPrimary(url: string, timeout: number, mustWrite: boolean): Promise<ServerAddress> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeout, query_timeout: timeout });
  const { host, port } = client;
  client.on('error', () => undefined);
  try {
    await client.connect();
    await setUpSession(client, {}, mustWrite);
    return { host, port };
  } catch (error) {
    throw new Error(`${host}:${port}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  } finally {
    client.end().catch(() => undefined);
  }
}

/**
 * Checks that the server of a new session can be used, and sets the session up. By a statement, since a pooler refuses or drops settings of
 * the connection.
 * @throws NotPrimaryError for a standby, and if `mustWrite` for a server whose transactions only read unless they say otherwise
 * @throws Error for a server that can never be used
 */
export async function setUpSession(client: ClientBase, settings: SessionSettings, mustWrite: boolean): Promise<void> {
  const { rows } = await client.query<ServerFacts>(
    `SELECT current_setting('default_transaction_read_only') AS "onlyReads", pg_is_in_recovery() AS "isStandby",
       current_setting('server_encoding') AS "encoding", current_setting('server_version') AS "version",
       current_setting('server_version_num')::int AS "versionNumber"
       ${Object.entries(settings)
         .map(([name, value]) => `, set_config('${name}', '${value}', false)`)
         .join('')}`,
  );
  const [server] = rows;
  if (!server) throw new Error('PostgreSQL did not describe the session');
  const { encoding, version } = server;
  if (server.isStandby) throw new NotPrimaryError('the server is a standby, and only the primary can be used');
  if (server.versionNumber < MIN_VERSION) throw new Error(`PostgreSQL ${version} is too old; version 14 or newer is needed`);
  if (encoding !== 'UTF8') {
    throw new Error(`the database has the encoding ${encoding}; create it with ENCODING 'UTF8' TEMPLATE template0`);
  }
  if (mustWrite && server.onlyReads === 'on') throw new NotPrimaryError('the server has default_transaction_read_only = on');
}

interface ServerClientConfig extends ClientConfig {
  readonly servers: Servers;
  readonly settings: SessionSettings;
  readonly connectionTimeoutMillis: number;
  /** Milliseconds without an answer to a statement after which the connection ends. Default: it waits for as long as it takes. */
  readonly maxSilenceMilliseconds?: number;
}

/** A connection to the primary among the servers of a database, whose session is set up before it is used. */
export class ServerClient extends pg.Client {
  // pg does not declare these.
  declare readonly connection: pg.Connection & { readonly stream: Socket };
  /** False while a statement is not answered. */
  declare readonly readyForQuery: boolean;

  constructor(configuration: ServerClientConfig) {
    super(configuration);
    // An `error` event without a listener ends the process.
    this.on('error', () => undefined);
    const open = this.connect.bind(this) as () => Promise<unknown>;
    // Pools connect by callback; pg declares a form with a promise too.
    this.connect = ((callback: (error?: unknown) => void) => {
      this.open(open, configuration).then(
        () => callback(),
        (error: unknown) => {
          this.end(() => undefined);
          callback(error);
        },
      );
    }) as typeof this.connect;
  }

  /** Ends the connection at once: an orderly end waits for statements that may never be answered. The server rolls back what it finds open. */
  destroy(reason?: Error): void {
    this.connection.stream.destroy(reason);
  }

  private async open(open: () => Promise<unknown>, configuration: ServerClientConfig): Promise<void> {
    const { servers, settings, connectionTimeoutMillis, maxSilenceMilliseconds } = configuration;
    Object.assign(this, await servers.choosePrimary(connectionTimeoutMillis));
    await open();
    await setUpSession(this, settings, servers.mustWrite);
    if (maxSilenceMilliseconds !== undefined) this.limitSilence(maxSilenceMilliseconds);
  }

  /** The server's own `statement_timeout` cannot fire while the server is frozen. */
  private limitSilence(milliseconds: number): void {
    const { stream } = this.connection;
    stream.setTimeout(milliseconds);
    // Not as the callback of `setTimeout`, which is called once: a connection that has rested is limited too.
    stream.on('timeout', () => {
      const { bytesRead } = stream;
      // After a long turn of the event loop the answer may have arrived and only not been read yet.
      setImmediate(() => {
        if (!this.readyForQuery && stream.bytesRead === bytesRead) this.destroy(new SilentServerError(milliseconds));
      });
    });
  }
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
    const sessions: string[] = [];
    for (const runner of [one, other, other, one]) sessions.push(JSON.stringify(await runner.query('SELECT pg_backend_pid()')));
    const [first, second, secondAgain, firstAgain] = sessions;
    if (first === second || first !== firstAgain || second !== secondAgain) throw new Error(USE_SESSION_MODE);
  } finally {
    await Promise.all([one.release(), other.release()]);
  }
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
