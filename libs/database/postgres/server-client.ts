import pg, { type ClientConfig } from 'pg';
import { greet, type SessionSettings } from './greeting.js';
import type { Servers } from './servers.js';

export type ConnectCallback = (error: Error | null | undefined, result?: unknown) => void;
export type Connect = (callback: ConnectCallback) => void;

/** What the pool that makes the clients was given. */
export interface ServerClientConfig extends ClientConfig {
  readonly servers: Servers;
  readonly settings: SessionSettings;
  readonly connectionTimeoutMillis: number;
}

/** A connection to the primary among the servers of a database, whose session has its settings when it is handed out. */
export class ServerClient extends pg.Client {
  constructor(configuration: ServerClientConfig) {
    super(configuration);
    // Between the pool's listener and that of who uses it nobody would hear of a lost connection, and Node ends a process for that.
    this.on('error', () => undefined);
    const open = this.connect.bind(this) as Connect;
    // Pools connect by callback; pg declares a form with a promise too.
    this.connect = ((callback: ConnectCallback) => {
      this.openGreeted(open, configuration).then(() => callback(null, this), callback);
    }) as typeof this.connect;
  }

  private async openGreeted(open: Connect, configuration: ServerClientConfig): Promise<void> {
    const { servers, settings, connectionTimeoutMillis } = configuration;
    const server = await servers.choose(connectionTimeoutMillis);
    Object.assign(this, server);
    try {
      await new Promise<void>((resolve, reject) => {
        open((error) => {
          if (error) reject(error);
          else resolve();
        });
      });
      await greet(this, settings, servers.mustWrite);
    } catch (error) {
      servers.forget(server);
      this.end(() => undefined);
      throw error;
    }
  }
}
