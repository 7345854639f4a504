import type { Socket } from 'node:net';
import pg, { type ClientConfig } from 'pg';
import { setUpSession, type Servers, type SessionSettings } from './servers.js';

type Open = () => Promise<unknown>;
type Query = (...parameters: unknown[]) => unknown;

interface ServerClientConfig extends ClientConfig {
  readonly servers: Servers;
  readonly settings: SessionSettings;
  readonly connectionTimeoutMillis: number;
  /** Milliseconds without an answer to a statement after which the connection ends. Default: it waits for as long as it takes. */
  readonly maxSilenceMilliseconds?: number;
}

/** What pg does not declare. */
interface ClientState {
  readonly connection: { readonly stream: Socket };
  /** False while a statement is not answered. */
  readonly readyForQuery: boolean;
}

/**
 * A connection to the primary among the servers of a database, whose session is set up before it is used. Statements of one turn of the
 * event loop are sent in one packet, for which the server wakes once.
 */
export class ServerClient extends pg.Client {
  constructor(configuration: ServerClientConfig) {
    super(configuration);
    // An `error` event without a listener ends the process.
    this.on('error', () => undefined);
    const open = this.connect.bind(this) as Open;
    // Pools connect by callback; pg declares a form with a promise too.
    this.connect = ((callback: (error?: unknown) => void) => {
      this.open(open, configuration).then(() => callback(), callback);
    }) as typeof this.connect;
    const send = this.query.bind(this) as Query;
    // pg declares a dozen forms of query.
    this.query = ((...parameters: unknown[]) => {
      gatherWrites(this.state.connection.stream);
      return send(...parameters);
    }) as typeof this.query;
  }

  /** Ends the connection at once: an orderly end waits for statements that may never be answered. The server rolls back what it finds open. */
  destroy(): void {
    this.state.connection.stream.destroy();
  }

  private async open(open: Open, configuration: ServerClientConfig): Promise<void> {
    const { servers, settings, connectionTimeoutMillis, maxSilenceMilliseconds } = configuration;
    const primary = servers.choosePrimary(connectionTimeoutMillis);
    try {
      Object.assign(this, await primary);
      await open();
      await setUpSession(this, settings, servers.mustWrite);
    } catch (error) {
      servers.forget(primary);
      this.end(() => undefined);
      throw error;
    }
    if (maxSilenceMilliseconds !== undefined) this.limitSilence(maxSilenceMilliseconds);
  }

  /** The server's own `statement_timeout` cannot fire while the server is frozen. */
  private limitSilence(milliseconds: number): void {
    const { stream } = this.state.connection;
    stream.setTimeout(milliseconds, () => {
      const { bytesRead } = stream;
      // After a long turn of the event loop the answer may have arrived and only not been read yet.
      setImmediate(() => {
        if (!this.state.readyForQuery && stream.bytesRead === bytesRead) this.destroy();
      });
    });
  }

  private get state(): ClientState {
    return this as unknown as ClientState;
  }
}

function gatherWrites(stream: Socket): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
