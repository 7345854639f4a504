import type { Socket } from 'node:net';
import pg, { type ClientConfig } from 'pg';
import { setUpSession, type Servers, type SessionSettings } from './servers.js';

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
  destroy(): void {
    this.connection.stream.destroy();
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
        if (!this.readyForQuery && stream.bytesRead === bytesRead) this.destroy();
      });
    });
  }
}
