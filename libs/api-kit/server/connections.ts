import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { requestsOf } from './request-queue.js';

const SILENT_FOR_MILLISECONDS = 500;
// Longer than a packet that was lost and sent again takes, twice.
const STALLED_FOR_MILLISECONDS = 1_000;
/** Dropped requests that may lie in memory, of all connections: Node parses all that it has read at once, up to 3,600 of 1.5 kB each. */
const MOST_DROPPED = 30_000;
const MOST_DROPPED_IN_A_TURN = 2_000;

interface Connection {
  readonly openedAt: number;
  /** Answers what has arrived of a request with 408, and closes the connection. */
  readonly refuse: () => void;
  /** Bytes that had been read of it, and since when its client is awaited and sends no more. */
  bytesRead: number;
  stalledSince: number;
  dropped: number;
}

/** The open connections of the service, and how they are brought to their end. */
export class Connections {
  private readonly servers: Server[] = [];
  private readonly open = new Map<Socket, Connection>();
  private isDraining = false;
  private dropped = 0;
  private droppedInTurn = 0;

  /** Keeps account of a server's connections. @param refuse answers on a connection that a request did not arrive in time, and closes it */
  watch(server: Server, refuse: (socket: Socket) => void): void {
    this.servers.push(server);
    server.on('connection', (socket: Socket) => {
      const now = performance.now();
      const connection = { openedAt: now, refuse: () => refuse(socket), bytesRead: 0, stalledSince: now, dropped: 0 };
      this.open.set(socket, connection);
      socket.once('close', () => {
        this.open.delete(socket);
        this.dropped -= connection.dropped;
      });
    });
  }

  /** To be called for every response before it is answered. */
  prepare(response: ServerResponse): void {
    if (this.isDraining && !response.headersSent) response.setHeader('connection', 'close');
  }

  /** To be called for each request that is not run. Cuts connections while too many lie in memory, which the end of a connection frees. */
  drop(socket: Socket): void {
    const connection = this.open.get(socket);
    if (connection) connection.dropped += 1;
    if (++this.dropped > MOST_DROPPED) socket.destroy();
    if (++this.droppedInTurn === 1) setImmediate(() => (this.droppedInTurn = 0));
    if (this.droppedInTurn === MOST_DROPPED_IN_A_TURN) this.pauseForTurn();
  }

  /** Reads nothing more in this turn of the event loop, also of connections that have sent something already. */
  private pauseForTurn(): void {
    const reading = [...this.open.keys()].filter((socket) => !socket.isPaused());
    for (const socket of reading) socket.pause();
    setImmediate(() => {
      for (const socket of reading) socket.resume();
    });
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
