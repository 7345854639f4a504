import type { Socket } from 'node:net';
import pg, { type ClientConfig, type QueryConfig } from 'pg';
import { DatabaseUnavailableError } from '../database.errors.js';
import type { Availability, OpenConnection } from './availability.js';
import { setUpSession, type Servers, type SessionSettings } from './servers.js';

type Callback = (error: Error | null | undefined, result?: unknown) => void;
type Open = () => Promise<unknown>;
type Query = (...parameters: unknown[]) => unknown;

// Others wait for it too; long enough for a packet to get lost on the way and be sent again.
const ASK_TIMEOUT_MILLISECONDS = 500;

export interface Bounds {
  readonly availability: Availability;
  /** Milliseconds until a connection must have answered a statement. */
  readonly timeout: number;
}

interface ServerClientConfig extends ClientConfig {
  readonly servers: Servers;
  readonly settings: SessionSettings;
  readonly connectionTimeoutMillis: number;
  /** Default: statements may take as long as they do. */
  readonly bounds?: Bounds;
}

/** A statement with less time than others have. */
interface BoundedQueryConfig extends QueryConfig {
  /** Milliseconds until it must be answered. */
  readonly timeout?: number;
}

/**
 * A connection to the primary among the servers of a database, whose session is set up before it is used. If it has bounds, the server
 * may freeze. The server's own `statement_timeout` cannot fire then, so a statement that is not answered in time ends its connection here,
 * and the pool replaces it.
 */
export class ServerClient extends pg.Client implements OpenConnection {
  answeredAt = 0;
  private unanswered = 0;
  private readonly askTimeout: number;

  constructor(configuration: ServerClientConfig) {
    super(configuration);
    const { bounds } = configuration;
    this.askTimeout = Math.min(bounds?.timeout ?? Infinity, ASK_TIMEOUT_MILLISECONDS);
    // An `error` event without a listener ends the process.
    this.on('error', () => undefined);
    const open = this.connect.bind(this) as Open;
    // Pools connect by callback; pg declares a form with a promise too.
    this.connect = ((callback: Callback) => {
      const opened = bounds ? this.openBounded(open, configuration, bounds) : this.open(open, configuration);
      opened.then(() => callback(null, this), callback);
    }) as typeof this.connect;
    if (!bounds) return;
    const send = this.query.bind(this) as Query;
    // pg declares a dozen forms of query; all of them end in a callback or give a promise.
    this.query = ((...parameters: unknown[]) => {
      const callback = parameters.at(-1);
      if (typeof callback !== 'function') return this.sendBounded(send, parameters, bounds);
      const sent = this.sendBounded(send, parameters.slice(0, -1), bounds);
      return void sent.then((result) => (callback as Callback)(null, result), callback as Callback);
    }) as typeof this.query;
  }

  ask(): void {
    if (this.unanswered > 0) return;
    const question: BoundedQueryConfig = { text: 'SELECT 1', timeout: this.askTimeout };
    this.query(question).catch(() => undefined);
  }

  giveUpConnecting(cause: Error): void {
    this.stream.destroy(cause);
  }

  private async open(open: Open, { servers, settings, connectionTimeoutMillis }: ServerClientConfig): Promise<void> {
    const server = await servers.choose(connectionTimeoutMillis);
    Object.assign(this, server);
    try {
      await open();
      await setUpSession(this, settings, servers.mustWrite);
    } catch (error) {
      servers.forget(server);
      this.end(() => undefined);
      throw error;
    }
  }

  /** Connects, and reports the outcome. @throws DatabaseUnavailableError for any failure */
  private async openBounded(open: Open, configuration: ServerClientConfig, { availability }: Bounds): Promise<void> {
    if (availability.refusal) throw availability.refusal;
    const since = performance.now();
    availability.connecting(this);
    try {
      await this.open(open, configuration).finally(() => availability.connected(this));
    } catch (error) {
      availability.failed(error, since);
      throw new DatabaseUnavailableError(error);
    }
    this.answeredAt = performance.now();
    availability.opened(this);
    this.once('end', () => availability.ended(this));
  }

  /** Settles exactly once: with the response, or when the connection has not answered for as long, whatever becomes of it. */
  private sendBounded(send: Query, parameters: unknown[], { availability, timeout: longest }: Bounds): Promise<unknown> {
    const since = performance.now();
    const [statement] = parameters;
    const { timeout = longest } = typeof statement === 'object' ? (statement as BoundedQueryConfig) : {};
    this.unanswered += 1;
    return new Promise((resolve, reject) => {
      let settled = false;
      const settle: Callback = (error, result) => {
        if (settled) return;
        settled = true;
        this.unanswered -= 1;
        clearTimeout(timer);
        if (error) reject(error);
        else resolve(result);
      };
      // After a long turn of the event loop the response may have arrived already and only not been read yet.
      const wait = (milliseconds: number) => setTimeout(() => setImmediate(check), milliseconds);
      const check = () => {
        if (settled) return;
        // Statements that are sent together are answered one after another.
        const left = this.answeredAt + timeout - performance.now();
        if (left > 0) timer = wait(left);
        else settle(this.giveUp(availability, since));
      };
      let timer = wait(timeout);
      this.gatherWrites();
      send(...parameters, (error: Error | null | undefined, result: unknown) => {
        if (!error || error instanceof pg.DatabaseError) this.answeredAt = performance.now();
        settle(error, result);
      });
    });
  }

  /** Sends the statements of one turn of the event loop in one packet, for which the server wakes once. */
  private gatherWrites(): void {
    const { stream } = this;
    if (stream.writableCorked > 0) return;
    stream.cork();
    process.nextTick(() => stream.uncork());
  }

  /** pg does not declare its socket. */
  private get stream(): Socket {
    return (this as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
  }

  private giveUp(availability: Availability, since: number): DatabaseUnavailableError {
    const cause = new Error(`no answer to a statement within ${Math.round(performance.now() - since)} ms`);
    const failure = new DatabaseUnavailableError(cause);
    // pg has no way of its own to end a connection that does not answer.
    this.stream.destroy(failure);
    availability.ended(this);
    availability.failed(cause, since);
    return failure;
  }
}
