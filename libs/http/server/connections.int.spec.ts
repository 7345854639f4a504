import { once } from 'node:events';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { fastify } from 'fastify';
import { Connections } from './connections.js';

describe('more connections than there may be', () => {
  const sockets: Socket[] = [];
  const instance = fastify({ forceCloseConnections: true });
  const { server } = instance;
  beforeAll(async () => {
    const connections = new Connections(() => undefined, 3);
    connections.watch(server);
    instance.addHook('onRequest', connections.runInOrder);
    instance.get('/done', () => Promise.resolve('done'));
    instance.get('/slow', (_request, reply) => reply.hijack().raw.write('begun'));
    await instance.listen({ port: 0, host: '127.0.0.1' });
  });
  afterAll(() => instance.close());

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
