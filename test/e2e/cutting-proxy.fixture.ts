import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { closeAtEnd } from '../cleanup/close-at-end.js';

/** A way to a service on which connections can be lost. */
export interface CuttingProxy {
  readonly origin: string;
  /** How many connections there have been. */
  readonly connections: number;
  /** Ends every connection in the midst of whatever it is, but takes new ones. */
  cut(): void;
  close(): Promise<void>;
}

export interface CuttingProxyOptions {
  /** Makes of what the service sends, each byte as a character, what its client gets. */
  readonly pass?: (text: string) => string;
  /** Told of what the service sends. */
  readonly hear?: (text: string) => void;
}

/** Listens on a port of its own. */
export async function openCuttingProxy(origin: string, { pass = (text) => text, hear }: CuttingProxyOptions = {}): Promise<CuttingProxy> {
  const { hostname, port } = new URL(origin);
  const sockets = new Set<Socket>();
  let connections = 0;
  const keep = (socket: Socket, other: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      other.destroySoon();
    });
  };
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    connections += 1;
    keep(client, upstream);
    keep(upstream, client);
    client.on('data', (bytes) => upstream.write(bytes));
    upstream.setEncoding('latin1').on('data', (text: string) => {
      client.write(pass(text), 'latin1');
      hear?.(text);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => sockets.forEach((socket) => socket.destroy());
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return connections;
    },
    cut,
    close: closeAtEnd(async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    }),
  };
}
