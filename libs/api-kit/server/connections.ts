import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { requestsOf } from './request-queue.js';

const SILENT_FOR_MILLISECONDS = 500;
// Longer than a packet that was lost and sent again takes, twice.
const STALLED_FOR_MILLISECONDS = 1_000;

interface Connection {
  readonly openedAt: number;
  /** Answers what has arrived of a request with 408, and closes the connection. */
  readonly refuse: () => void;
  /** Bytes that had been read of it, and since when its client is awaited and sends no more. */
  bytesRead: number;
  stalledSince: number;
}

/** The open connections of the service, and how they are brought to their end. */
export class Connections {
  private readonly servers: Server[] = [];
  private readonly open = new Map<Socket, Connection>();
  private isDraining = false;

  /** Keeps account of a server's connections. @param refuse answers on a connection that a request did not arrive in time, and closes it */
  watch(server: Server, refuse: (socket: Socket) => void): void {
    this.servers.push(server);
    server.on('connection', (socket: Socket) => {
      const now = performance.now();
      this.open.set(socket, { openedAt: now, refuse: () => refuse(socket), bytesRead: 0, stalledSince: now });
      socket.once('close', () => this.open.delete(socket));
    });
  }

  /** To be called for every response before it is answered. */
  prepare(response: ServerResponse): void {
    if (this.isDraining && !response.headersSent) response.setHeader('connection', 'close');
  }

  /** From now on every answer, also to a request under way, says `Connection: close` and closes its connection. */
  drain(): void {
    this.isDraining = true;
    for (const [socket, connection] of this.open) {
      connection.bytesRead = socket.bytesRead;
      connection.stalledSince = performance.now();
      const { current } = requestsOf(socket);
      if (current) this.prepare(current.response);
    }
  }

  /** Closes connections that wait for nothing: those between two requests, and those that never sent a byte. */
  closeIdle(): void {
    for (const server of this.servers) server.closeIdleConnections();
    for (const [socket, { openedAt }] of this.open) {
      // To Node a connection that has not spoken yet is busy with its first request.
      if (socket.bytesRead === 0 && performance.now() - openedAt > SILENT_FOR_MILLISECONDS) socket.destroy();
    }
  }

  /**
   * Refuses requests of which a part has not arrived, so that nothing of them is done. To be called often from `drain` on.
   * @param which those of which nothing has arrived for a second of the time since `drain`, or all of them
   */
  refuseArriving(which: 'all' | 'stalled'): void {
    const now = performance.now();
    for (const [socket, connection] of this.open) {
      const awaitsClient = waitsForClient(socket);
      if (!awaitsClient || socket.bytesRead !== connection.bytesRead) connection.stalledSince = now;
      connection.bytesRead = socket.bytesRead;
      const isStalled = now - connection.stalledSince >= STALLED_FOR_MILLISECONDS;
      // One that has its answer, and is not writable any more, has as long again to take it.
      if (!awaitsClient || !(isStalled || (which === 'all' && socket.writable))) continue;
      connection.refuse();
      connection.stalledSince = now;
    }
  }

  /** Closes all, whatever is under way. */
  cut(): void {
    for (const socket of this.open.keys()) socket.destroy();
  }
}

/** Whether the next step is the client's: to send the rest of a request, or to close a connection that has its last answer. */
function waitsForClient(socket: Socket): boolean {
  const { latest } = requestsOf(socket);
  if (latest === undefined || latest.response.closed) return true;
  return latest.admitted && !latest.raw.complete && latest.defect === undefined && !latest.response.headersSent;
}
