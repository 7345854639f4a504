import pg from 'pg';
import { serverUrls } from '../database-url.js';
import { greet, NotPrimaryError } from './greeting.js';

export interface ServerAddress {
  /** Or the folder of its socket. */
  readonly host: string;
  readonly port: number;
}

/**
 * The servers of a database, of which the one that was last found to be the primary is used. libpq asks one after the other; here all are
 * asked at once, so that one that does not answer delays nobody.
 */
export class Servers {
  /** What to connect with, but for the address of the server. */
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
    if (this.urls.length === 1) this.primary = addressOf(new pg.Client({ connectionString: this.url }));
  }

  /** The server to connect to. @throws Error when none is known, and none is found within `timeout` milliseconds */
  async choose(timeout: number): Promise<ServerAddress> {
    return this.primary ?? this.find(timeout);
  }

  /** A connection to this server was not to be had, so that the next one looks for the primary. */
  forget(address: ServerAddress): void {
    if (this.urls.length > 1 && this.primary === address) this.primary = undefined;
  }

  /** Resolves when a server has said on a connection of its own that it is the primary. @throws Error when none has within `timeout` milliseconds */
  find(timeout: number): Promise<ServerAddress> {
    this.search ??= this.ask(timeout).finally(() => (this.search = undefined));
    return this.search;
  }

  private async ask(timeout: number): Promise<ServerAddress> {
    const asked = this.urls.map((url) => askServer(url, { timeout, mustWrite: this.mustWrite }));
    try {
      this.primary = await Promise.any(asked);
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

/** @throws Error that names the server, for one that does not answer or is not the primary */
async function askServer(
  url: string,
  { timeout, mustWrite }: { readonly timeout: number; readonly mustWrite: boolean },
): Promise<ServerAddress> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: timeout, query_timeout: timeout });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await greet(client, {}, mustWrite);
    return addressOf(client);
  } catch (error) {
    throw named(error, addressOf(client));
  } finally {
    client.end().catch(() => undefined);
  }
}

/** The error with the server's name in its message, unless that is there. */
function named(error: unknown, { host, port }: ServerAddress): unknown {
  if (!(error instanceof Error) || error.message.includes(host)) return error;
  error.message = `${host}:${port}: ${error.message}`;
  return error;
}

function addressOf({ host, port }: pg.Client): ServerAddress {
  return { host, port };
}
