import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toRefusal, writeRawError, type ClientError, type CountUnreadable, type RefusalListener } from './raw-errors.js';

/** Requests of a connection that may wait for the one that runs. */
const MAX_WAITING = 32;
const SILENT_FOR_MILLISECONDS = 500;
/** The others are for files, the database and outgoing requests. */
const SHARE_OF_DESCRIPTORS = 0.8;

interface Connection {
  readonly openedAt: number;
  /** The response to the request whose head arrived last. */
  latest: FastifyReply | undefined;
  /** Whether bytes arrived that are no request, or too many requests: nothing more runs. */
  isClosed: boolean;
  isRunning: boolean;
  readonly waiting: (() => void)[];
}

/** The open connections of the service. Runs the requests of each one after another, in their order (RFC 9112 section 9.3.2). */
export class Connections {
  /** Whether every response closes its connection. */
  isDraining = false;
  /** Set with the admission policy. */
  countUnreadable: CountUnreadable = () => ({ headers: {} });
  private readonly open = new Map<Socket, Connection>();

  /** @param maxConnections beyond which the oldest one without a request is closed */
  constructor(
    readonly onRefusal: RefusalListener,
    private readonly maxConnections = Math.floor(readDescriptorLimit() * SHARE_OF_DESCRIPTORS),
  ) {}

  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      if (this.open.size >= this.maxConnections) this.closeOldestIdle();
      this.open.set(socket, { openedAt: performance.now(), latest: undefined, isClosed: false, isRunning: false, waiting: [] });
      socket.once('close', () => this.open.delete(socket));
    });
  }

  /** The first `onRequest` hook. A request that nobody waits for any more never runs; one beyond 32 that wait ends the connection. */
  readonly runInOrder = ({ raw: { socket } }: FastifyRequest, reply: FastifyReply, run: () => void): void => {
    const connection = this.open.get(socket);
    // `inject` has no connection.
    if (!connection && !socket.destroyed) run();
    if (!connection || connection.isClosed) return;
    connection.latest = reply;
    this.enqueue(socket, connection, () => {
      reply.raw.once('close', () => this.runNext(socket, connection));
      run();
    });
    if (connection.waiting.length <= MAX_WAITING) return;
    connection.isClosed = true;
    socket.destroy();
  };

  /** Fastify's `clientErrorHandler`: for what Node cannot parse, or what does not arrive in time. */
  readonly handleError = (error: ClientError, socket: Socket): void => {
    const connection = this.open.get(socket);
    const { latest } = connection ?? {};
    if (!connection || error.code === 'ECONNRESET' || !socket.writable) {
      if (!socket.writableEnded) socket.destroy();
    } else if (latest && !latest.request.raw.complete) {
      // Only the body is broken: the request was counted, and gets its response as all do, perhaps behind others.
      latest.request.bodyError = toRefusal(error);
      if (latest.raw.writableEnded) socket.destroySoon();
      else if (latest.request.isAdmitted) void latest.send(latest.request.bodyError);
    } else if (!connection.isClosed) {
      connection.isClosed = true;
      this.enqueue(socket, connection, () => void writeRawError(toRefusal(error), socket, this));
    }
  };

  /** Closes connections that never sent a byte, which Node counts as busy. */
  closeSilent(): void {
    for (const [socket, { openedAt }] of this.open) {
      if (socket.bytesRead === 0 && performance.now() - openedAt > SILENT_FOR_MILLISECONDS) socket.destroy();
    }
  }

  /** Closes all connections, whatever is in progress. */
  cut(): void {
    for (const socket of this.open.keys()) socket.destroy();
  }

  private enqueue(socket: Socket, connection: Connection, run: () => void): void {
    connection.waiting.push(run);
    if (!connection.isRunning) this.start(socket, connection);
  }

  private runNext(socket: Socket, connection: Connection): void {
    // Others have their turn of the event loop first.
    if (connection.waiting.length > 0) setImmediate(() => this.start(socket, connection));
    else connection.isRunning = false;
  }

  private start(socket: Socket, connection: Connection): void {
    connection.isRunning = true;
    // It is not if the connection is lost, or the response before was the last one.
    if (socket.writable) connection.waiting.shift()?.();
    else connection.waiting.length = 0;
  }

  /** In the order in which they were opened. None if all are in use. */
  private closeOldestIdle(): void {
    for (const [socket, { latest }] of this.open) {
      if ((latest && !latest.raw.closed) || socket.destroyed) continue;
      socket.destroy();
      return;
    }
  }
}

/** Returns how many files and connections this process may have open at once (`ulimit -n`); infinite where the system does not tell. */
function readDescriptorLimit(): number {
  try {
    return Number(/^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? Infinity);
  } catch {
    return Infinity;
  }
}
