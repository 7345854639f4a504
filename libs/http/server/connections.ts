import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { getRequestQueue, type ClientError } from './http-server.js';
import { overdue } from './socket-errors.js';

const SILENT_FOR_MILLISECONDS = 500;
/** Twice as long as it takes to send a lost packet again. */
const STALLED_FOR_MILLISECONDS = 1_000;
/** Dropped requests in memory, of all connections: Node parses all that it has read at once, up to 3,600 requests of 1.5 kB each. */
const MOST_DROPPED = 30_000;
/** Without this bound 150 flooding connections took 536 MB instead of less than 350. */
const MOST_DROPPED_IN_A_TURN = 2_000;

interface Connection {
  /** Bytes read so far, and when the client last made progress. */
  bytesRead: number;
  stalledSince: number;
  /** Requests that were not run. */
  dropped: number;
}

/** The open connections of the service. Closes them at shutdown. */
export class Connections {
  private readonly servers: Server[] = [];
  private readonly open = new Map<Socket, Connection>();
  private dropped = 0;
  private droppedInTurn = 0;
  /** Whether every response closes its connection. */
  isDraining = false;

  /** @param refuse handles an error of a connection */
  constructor(private readonly refuse: (error: ClientError, socket: Socket) => void) {}

  watch(server: Server): void {
    this.servers.push(server);
    server.on('connection', (socket: Socket) => {
      const connection = { bytesRead: 0, stalledSince: performance.now(), dropped: 0 };
      this.open.set(socket, connection);
      socket.once('close', () => {
        this.open.delete(socket);
        this.dropped -= connection.dropped;
      });
    });
  }

  /** Counts a request that is not run. Their memory is freed with the connection, so beyond the limit connections are cut. */
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

  /** From now on every response, also to a request in progress, closes its connection. */
  drain(): void {
    this.isDraining = true;
    for (const [socket, connection] of this.open) {
      connection.bytesRead = socket.bytesRead;
      connection.stalledSince = performance.now();
      const { current } = getRequestQueue(socket);
      if (current && !current.response.headersSent) current.response.setHeader('connection', 'close');
    }
  }

  /** Closes connections between two requests, and those that never sent a byte, which Node counts as busy. */
  closeIdle(): void {
    for (const server of this.servers) server.closeIdleConnections();
    for (const [socket, { stalledSince }] of this.open) {
      if (socket.bytesRead === 0 && performance.now() - stalledSince > SILENT_FOR_MILLISECONDS) socket.destroy();
    }
  }

  /**
   * Responds with 408 to requests that have not arrived completely, so that nothing is done for them. To be called often after `drain`.
   * @param which those whose client has sent nothing for a second, or all
   */
  refuseArriving(which: 'all' | 'stalled'): void {
    const now = performance.now();
    for (const [socket, connection] of this.open) {
      const isWaiting = waitsForClient(socket);
      if (!isWaiting || socket.bytesRead !== connection.bytesRead) connection.stalledSince = now;
      connection.bytesRead = socket.bytesRead;
      const isStalled = now - connection.stalledSince >= STALLED_FOR_MILLISECONDS;
      // A connection with its last response is not writable, and has as long again to read it.
      if (!isWaiting || !(isStalled || (which === 'all' && socket.writable))) continue;
      this.refuse(overdue(), socket);
      connection.stalledSince = now;
    }
  }

  /** Closes all connections, whatever is in progress. */
  cut(): void {
    for (const socket of this.open.keys()) socket.destroy();
  }
}

/** Whether the next step is the client's: to send the rest of a request, or to close a connection after its last response. */
function waitsForClient(socket: Socket): boolean {
  const { latest } = getRequestQueue(socket);
  if (latest === undefined || latest.response.closed) return true;
  return latest.admitted && !latest.raw.complete && latest.defect === undefined && !latest.response.headersSent;
}
