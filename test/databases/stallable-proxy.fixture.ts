import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A way to a server that can be made to fail, without touching the server. */
export interface StallableProxy {
  /** The address of the server, by way of the proxy. */
  readonly url: string;
  /** From now on nothing is passed on, and nothing is closed either: as a server that is stopped by SIGSTOP. */
  freeze(): void;
  /** Ends every connection and takes no new one. */
  disconnect(): Promise<void>;
  /** Ends every connection, but takes new ones. */
  cut(): void;
  /** Passes on everything again, also what has waited. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** Listens on a port of its own and passes connections on to the host and port of `url`. */
export async function openProxy(url: string, defaultPort: number): Promise<StallableProxy> {
  const target = new URL(url);
  const pairs = new Set<readonly [Socket, Socket]>();
  let frozen = false;

  const pass = (client: Socket): void => {
    const upstream = connect(Number(target.port || defaultPort), target.hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    pair.forEach((socket, index) => {
      const other = pair[1 - index];
      socket.on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        other?.destroy();
      });
      socket.on('data', (chunk) => other?.write(chunk));
      if (frozen) socket.pause();
    });
  };
  let server: Server = createServer(pass).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const proxied = new URL(url);
  proxied.hostname = '127.0.0.1';
  proxied.port = String(port);

  const cut = (): void => pairs.forEach((pair) => pair.forEach((socket) => socket.destroy()));
  const stop = async (): Promise<void> => {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  };
  return {
    url: proxied.href,
    freeze() {
      frozen = true;
      pairs.forEach((pair) => pair.forEach((socket) => socket.pause()));
    },
    disconnect: stop,
    cut,
    async restore() {
      frozen = false;
      pairs.forEach((pair) => pair.forEach((socket) => socket.resume()));
      if (server.listening) return;
      server = createServer(pass).listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    close: stop,
  };
}
