import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Connections } from './connections.js';

describe('more connections than there may be', () => {
  const sockets: Socket[] = [];
  let server: Server;
  beforeEach(async () => {
    const connections = new Connections({
      requestTimeoutMilliseconds: 60_000,
      idleTimeoutMilliseconds: 60_000,
      keepAliveMilliseconds: 60_000,
      maxConnections: 3,
      allowedMethods: () => 'GET',
      onRefusal: () => undefined,
      onEnd: () => undefined,
    });
    server = connections.createServer((raw, response) => {
      if (raw.url === '/slow') response.write('begun');
      else response.end('done');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  /** Opens a connection, and waits for the beginning of the response if it sends a request. */
  const open = async (path?: string) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    await Promise.all([once(socket, 'connect'), once(server, 'connection')]);
    if (path === undefined) return socket;
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await once(socket, 'data');
    return socket;
  };

  it('close the oldest ones that have no request, whether they had one or not, and none that is in use', async () => {
    await open('/slow');
    const [oldest, next] = [await open(), await open('/done')];
    for (const closed of [oldest, next]) {
      const isClosed = once(closed, 'close');
      closed.resume();
      await open('/slow');
      await isClosed;
    }
    await open('/slow');
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([false, true, true, false, false, false]);
  });
});
