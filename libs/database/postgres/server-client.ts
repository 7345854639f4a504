import type { Socket } from 'node:net';
import pg, { type ClientConfig, type QueryConfig } from 'pg';
import { DatabaseUnavailableError } from '../database.errors.js';
import type { Availability, OpenConnection } from './availability.js';
import { setUpSession, type Servers, type SessionSettings } from './servers.js';

type Callback = (error: Error | null | undefined, result?: unknown) => void;
type Connect = (callback: Callback) => void;
type Query = (...parameters: unknown[]) => unknown;

// Others wait for it too; long enough for a packet to get lost on the way and be sent again.
const ASK_TIMEOUT_MILLISECONDS = 500;

interface ServerClientConfig extends ClientConfig {
  readonly servers: Servers;
  readonly settings: SessionSettings;
  readonly connectionTimeoutMillis: number;
}

export interface Bounds {
  readonly availability: Availability;
  /** Milliseconds until a statement must be answered. */
  readonly timeout: number;
}

interface BoundedClientConfig extends ServerClientConfig {
  readonly bounds: Bounds;
}

/** A statement with less time than others have. */
interface BoundedQueryConfig extends QueryConfig {
  /** Milliseconds until it must be answered. */
  readonly timeout?: number;
}

/** A connection to the primary among the servers of a database, whose session is set up before it is used. */
export class ServerClient extends pg.Client {
  constructor(configuration: ServerClientConfig) {
    super(configuration);
    // An `error` event without a listener ends the process.
    this.on('error', () => undefined);
    const open = this.connect.bind(this) as Connect;
    // Pools connect by callback; pg declares a form with a promise too.
    this.connect = ((callback: Callback) => {
      this.openSession(open, configuration).then(() => callback(null, this), callback);
    }) as typeof this.connect;
  }

  private async openSession(open: Connect, { servers, settings, connectionTimeoutMillis }: ServerClientConfig): Promise<void> {
    const server = await servers.choose(connectionTimeoutMillis);
    Object.assign(this, server);
    try {
      await new Promise<void>((resolve, reject) => {
        open((error) => {
          if (error) reject(error);
          else resolve();
        });
      });
      await setUpSession(this, settings, servers.mustWrite);
    } catch (error) {
      servers.forget(server);
      this.end(() => undefined);
      throw error;
    }
  }
}

/**
 * A connection to a server that may freeze. The server's own `statement_timeout` cannot fire then, so a statement that is not
 * answered in time ends its connection here, and the pool replaces it.
 */
export class BoundedClient extends ServerClient implements OpenConnection {
  answeredAt = 0;
  private readonly bounds: Bounds;
  private unanswered = 0;

  constructor(configuration: BoundedClientConfig) {
    super(configuration);
    this.bounds = configuration.bounds;
    const send = this.query.bind(this) as Query;
    // pg declares a dozen forms of query; all of them end in a callback or give a promise.
    this.query = ((...parameters: unknown[]) => this.sendBounded(send, parameters)) as typeof this.query;
    const open = this.connect.bind(this) as Connect;
    this.connect = ((callback: Callback) => this.openReported(open, callback)) as typeof this.connect;
  }

  ask(): void {
    if (this.unanswered > 0) return;
    const question: BoundedQueryConfig = { text: 'SELECT 1', timeout: Math.min(this.bounds.timeout, ASK_TIMEOUT_MILLISECONDS) };
    this.query(question).catch(() => undefined);
  }

  giveUpConnecting(cause: Error): void {
    this.stream.destroy(cause);
  }

  /** Connects, and reports the outcome. Any failure is DatabaseUnavailableError for the caller. */
  private openReported(open: Connect, callback: Callback): void {
    const { availability } = this.bounds;
    const { refusal } = availability;
    if (refusal) {
      process.nextTick(callback, refusal);
      return;
    }
    const since = performance.now();
    availability.connecting(this);
    open((error, result) => {
      availability.connected(this);
      if (error) {
        availability.failed(error, since);
        callback(new DatabaseUnavailableError(error));
        return;
      }
      this.answeredAt = performance.now();
      availability.opened(this);
      this.once('end', () => availability.ended(this));
      callback(null, result);
    });
  }

  private sendBounded(send: Query, parameters: unknown[]): unknown {
    const callback = parameters.at(-1);
    if (typeof callback === 'function') {
      this.sendSettled(send, parameters.slice(0, -1), callback as Callback);
      return undefined;
    }
    return new Promise((resolve, reject) => {
      this.sendSettled(send, parameters, (error, result) => {
        if (error) reject(error);
        else resolve(result);
      });
    });
  }

  /** Calls back exactly once: with the answer, or when the time is over, whatever becomes of the connection. */
  private sendSettled(send: Query, parameters: unknown[], callback: Callback): void {
    const since = performance.now();
    const [statement] = parameters;
    const { timeout = this.bounds.timeout } = typeof statement === 'object' ? (statement as BoundedQueryConfig) : {};
    let settled = false;
    this.unanswered += 1;
    const settle: Callback = (error, result) => {
      if (settled) return;
      settled = true;
      this.unanswered -= 1;
      clearTimeout(timer);
      callback(error, result);
    };
    const timer = setTimeout(() => {
      // After a long turn of the event loop the answer may have arrived already and only not been read yet.
      setImmediate(() => {
        if (!settled) settle(this.giveUp(since));
      });
    }, timeout);
    this.gatherWrites();
    send(...parameters, (error: Error | null | undefined, result: unknown) => {
      if (!error || error instanceof pg.DatabaseError) this.answeredAt = performance.now();
      settle(error, result);
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

  private giveUp(since: number): DatabaseUnavailableError {
    const { availability } = this.bounds;
    const cause = new Error(`no answer to a statement within ${Math.round(performance.now() - since)} ms`);
    const failure = new DatabaseUnavailableError(cause);
    // pg has no way of its own to end a connection that does not answer.
    this.stream.destroy(failure);
    availability.ended(this);
    availability.failed(cause, since);
    return failure;
  }
}
