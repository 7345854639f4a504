import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { certificate } from './certificate.js';

/** What a server does with the request that came over a connection, text for text. */
export type Reaction = (socket: Socket, request: string) => void;

/** A server on this machine that does whatever its test wants. */
export class LocalServer {
  /** The connections that were made to it, those that have ended too. */
  readonly connections: Socket[] = [];
  /** The requests that came whole. */
  readonly requests: string[] = [];
  /** The names that were asked for in TLS. */
  readonly serverNames: string[] = [];

  private constructor(private readonly server: Server) {
    server.on('connection', (socket: Socket) => this.connections.push(socket.on('error', () => undefined)));
  }

  /** Reacts to each request once it has come whole. It listens on all addresses of the machine unless given one. */
  static async start(reaction: Reaction, host?: string): Promise<LocalServer> {
    const started: LocalServer = new LocalServer(createServer((socket) => started.hear(socket, reaction)));
    return started.listen(host);
  }

  /** Speaks TLS, with a certificate that nobody trusts. */
  static async startSecure(reaction: Reaction): Promise<LocalServer> {
    const hearName = (name: string, use: (error: null) => void) => {
      started.serverNames.push(name);
      use(null);
    };
    const started: LocalServer = new LocalServer(
      createSecureServer({ ...certificate, SNICallback: hearName }, (socket) => started.hear(socket, reaction)),
    );
    return started.listen();
  }

  /** The next connection that is made, before anything is read from it. */
  async nextConnection(): Promise<Socket> {
    const [socket] = (await once(this.server, 'connection')) as [Socket];
    return socket;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Such as `http://127.0.0.1:4711/hooks`. */
  url(host = '127.0.0.1', scheme = 'http'): string {
    return `${scheme}://${host}:${this.port}/hooks`;
  }

  /** Ends it with all of its connections. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    for (const socket of this.connections) socket.destroy();
    await closed;
  }

  private async listen(host = '::'): Promise<this> {
    await once(this.server.listen(0, host), 'listening');
    return this;
  }

  private hear(socket: Socket, reaction: Reaction): void {
    let heard = '';
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      heard += bytes.toString('latin1');
      if (!isWhole(heard)) return;
      this.requests.push(heard);
      reaction(socket, heard);
      heard = '';
    });
  }
}

function isWhole(request: string): boolean {
  const [head = '', ...body] = request.split('\r\n\r\n');
  const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1]);
  return body.length > 0 && body.join('\r\n\r\n').length >= length;
}
