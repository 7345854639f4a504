import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApplicationError } from '#libs/observability';
import { framingError, MAXIMUM_HEAD_BYTES, type RequestContext } from '../request/request-context.js';
import { Connection, type CountUnreadable, type RefusalListener } from './connection.js';

const MAX_CHECK_INTERVAL_MILLISECONDS = 500;
const SILENT_FOR_MILLISECONDS = 500;
/** Twice as long as it takes to send a lost packet again. */
const STALLED_FOR_MILLISECONDS = 1_000;
/** Linux then probes every second, ten times (libuv's `uv_tcp_keepalive`). */
const PROBED_AFTER_MILLISECONDS = 10_000;
/** Dropped requests in memory, of all connections: Node parses all that it has read at once, up to 3,600 requests of 1.5 kB each. */
const MAX_DROPPED = 30_000;
/** Without this bound 150 flooding connections took 536 MB instead of less than 350. */
const MAX_DROPPED_IN_A_TURN = 2_000;

export interface ConnectionsOptions {
  /** How long head and body of a request may take to arrive. */
  readonly requestTimeoutMilliseconds: number;
  /** How long a connection may stand without a byte in either direction before its first request, or while a response is not read. */
  readonly idleTimeoutMilliseconds: number;
  /** How long a connection may stand after a response; Node adds a second. */
  readonly keepAliveMilliseconds: number;
  /** Connections beyond which the oldest one without a request gives way to a new one. */
  readonly maxConnections: number;
  /** Returns every method of any route, as an `Allow` header lists them. */
  readonly allowedMethods: () => string;
  readonly onRefusal: RefusalListener;
  /** Called for each request when it is over, with a response or without. */
  readonly onEnd: (context: RequestContext) => void;
}

type RequestHandler = (raw: IncomingMessage, response: ServerResponse) => void;

/** The open connections of the service. Closes them at shutdown. */
export class Connections {
  /** Set when admission is installed. */
  countUnreadable: CountUnreadable = () => ({ headers: {} });
  private readonly servers: Server[] = [];
  private readonly open = new Map<Duplex, Connection>();
  private dropped = 0;
  private droppedInTurn = 0;
  /** Whether every response closes its connection. */
  private isDraining = false;

  constructor(private readonly options: ConnectionsOptions) {}

  /** Returns a Node HTTP server whose responses all come from the handler or from a `Connection`, none from Node. */
  createServer(handler: RequestHandler): Server {
    const { requestTimeoutMilliseconds, idleTimeoutMilliseconds, keepAliveMilliseconds, allowedMethods } = this.options;
    const server = createServer({
      requireHostHeader: false,
      maxHeaderSize: MAXIMUM_HEAD_BYTES,
      headersTimeout: requestTimeoutMilliseconds,
      requestTimeout: requestTimeoutMilliseconds,
      connectionsCheckingInterval: Math.min(MAX_CHECK_INTERVAL_MILLISECONDS, requestTimeoutMilliseconds / 2),
      keepAliveTimeout: keepAliveMilliseconds,
      // Ends a connection whose peer has vanished, unless something unacknowledged was sent on it.
      keepAlive: true,
      keepAliveInitialDelay: PROBED_AFTER_MILLISECONDS,
    });
    server.timeout = idleTimeoutMilliseconds;
    // Beyond its default of 2,000 Node drops headers without an error.
    server.maxHeadersCount = 0;
    // Else Node ends a connection with responses outstanding when its client ends its side.
    Object.assign(server, { httpAllowHalfOpen: true });
    this.servers.push(server);
    server.on('connection', (socket: Socket) => this.accept(socket));
    for (const event of ['request', 'checkContinue', 'checkExpectation']) {
      server.on(event, (raw: IncomingMessage, response: ServerResponse) => this.receive(raw, response, handler));
    }
    server.on('connect', (raw: IncomingMessage, socket: Duplex) => {
      socket.on('error', () => socket.destroy());
      const notAllowed = new ApplicationError('method_not_allowed', 'CONNECT is not allowed here.', {
        headers: { allow: allowedMethods() },
      });
      this.open.get(socket)?.refuse(framingError(raw) ?? notAllowed);
    });
    server.on('clientError', (error, socket) => this.open.get(socket)?.handle(error));
    return server;
  }

  /** Returns the request that runs on the connection of a message; undefined if the message did not come over a connection. */
  findCurrent(raw: IncomingMessage): RequestContext | undefined {
    return this.open.get(raw.socket)?.current;
  }

  private accept(socket: Socket): void {
    const connection = new Connection(socket, this.options.onRefusal, (address) => this.countUnreadable(address));
    if (this.open.size >= this.options.maxConnections) this.closeOldestIdle();
    this.open.set(socket, connection);
    socket.once('close', () => {
      this.open.delete(socket);
      this.dropped -= connection.dropped;
    });
  }

  /** In the order in which they were opened. None if all are in use. */
  private closeOldestIdle(): void {
    for (const { isIdle, socket } of this.open.values()) {
      if (!isIdle || socket.destroyed) continue;
      socket.destroy();
      return;
    }
  }

  private receive(raw: IncomingMessage, response: ServerResponse, handler: RequestHandler): void {
    const connection = this.open.get(raw.socket);
    const error = framingError(raw);
    if (error) {
      connection?.refuse(error);
      return;
    }
    const isAdded = connection?.add(raw, response, (context) => {
      context.startedAt = performance.now();
      if (this.isDraining && !response.headersSent) response.setHeader('connection', 'close');
      response.once('close', () => this.options.onEnd(context));
      handler(raw, response);
    });
    if (connection && !isAdded) this.drop(connection);
  }

  /** Counts a request that is not run. Their memory is freed with the connection, so beyond the limit connections are cut. */
  private drop(connection: Connection): void {
    connection.dropped += 1;
    if (++this.dropped > MAX_DROPPED) connection.socket.destroy();
    if (++this.droppedInTurn === 1) setImmediate(() => (this.droppedInTurn = 0));
    if (this.droppedInTurn === MAX_DROPPED_IN_A_TURN) this.pauseForTurn();
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
    for (const connection of this.open.values()) {
      connection.bytesRead = connection.socket.bytesRead;
      connection.stalledSince = performance.now();
      const { response } = connection.current ?? {};
      if (response?.headersSent === false) response.setHeader('connection', 'close');
    }
  }

  /** Closes connections between two requests, and those that never sent a byte, which Node counts as busy. */
  closeIdle(): void {
    for (const server of this.servers) server.closeIdleConnections();
    for (const { socket, stalledSince } of this.open.values()) {
      if (socket.bytesRead === 0 && performance.now() - stalledSince > SILENT_FOR_MILLISECONDS) socket.destroy();
    }
  }

  /**
   * Responds with 408 to requests that have not arrived completely, so that nothing is done for them. To be called often after `drain`.
   * @param which those whose client has sent nothing for a second, or all
   */
  refuseArriving(which: 'all' | 'stalled'): void {
    const now = performance.now();
    for (const connection of this.open.values()) {
      const { socket, waitsForClient } = connection;
      if (!waitsForClient || socket.bytesRead !== connection.bytesRead) connection.stalledSince = now;
      connection.bytesRead = socket.bytesRead;
      const isStalled = now - connection.stalledSince >= STALLED_FOR_MILLISECONDS;
      // A connection with its last response is not writable, and has as long again to read it.
      if (!waitsForClient || !(isStalled || (which === 'all' && socket.writable))) continue;
      connection.refuseOverdue();
      connection.stalledSince = now;
    }
  }

  /** Closes all connections, whatever is in progress. */
  cut(): void {
    for (const socket of this.open.keys()) socket.destroy();
  }
}

/** Returns how many files and connections this process may have open at once (`ulimit -n`); infinite where the system does not tell. */
export function readDescriptorLimit(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return limit === undefined ? Infinity : Number(limit);
  } catch {
    return Infinity;
  }
}
