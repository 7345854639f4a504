import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ApplicationError } from '#libs/observability';
import { framingError, MAXIMUM_HEAD_BYTES, RequestContext } from '../request/request-context.js';

const MAXIMUM_CHECK_INTERVAL = 500;
/** Requests of a connection that may wait for the one that runs. */
const MOST_WAITING = 32;
const LINGER_MILLISECONDS = 2_000;

/** An error of Node's server; `reason` is the parser's. */
export type ClientError = NodeJS.ErrnoException & { readonly reason?: string };

export interface HttpServerOptions {
  /** How long head and body of a request may take to arrive. */
  readonly requestTimeoutMilliseconds: number;
  /** How long a connection may stand without a byte in either direction, between requests or while a response is not read. */
  readonly idleTimeoutMilliseconds: number;
  /** Respond to what is no request, and close its connection. */
  readonly socketErrors: {
    refuse(socket: Duplex, error: ApplicationError): void;
    readonly handle: (error: ClientError, socket: Duplex) => void;
  };
  readonly connections: { readonly isDraining: boolean; watch(server: Server): void; drop(socket: Socket): void };
  /** Returns every method of any route, as an `Allow` header lists them. */
  readonly allowedMethods: () => string;
  /** Called for each request when it is over, with a response or without. */
  readonly onEnd: (context: RequestContext) => void;
}

type RequestHandler = (raw: IncomingMessage, response: ServerResponse) => void;

/** Returns a Node HTTP server whose responses all come from the handler or from the `SocketErrorWriter`, none from Node. */
export function createHttpServer(handler: RequestHandler, options: HttpServerOptions): Server {
  const { socketErrors, connections, requestTimeoutMilliseconds, idleTimeoutMilliseconds } = options;
  const server = createServer({
    requireHostHeader: false,
    maxHeaderSize: MAXIMUM_HEAD_BYTES,
    headersTimeout: requestTimeoutMilliseconds,
    requestTimeout: requestTimeoutMilliseconds,
    connectionsCheckingInterval: Math.min(MAXIMUM_CHECK_INTERVAL, requestTimeoutMilliseconds / 2),
    keepAliveTimeout: idleTimeoutMilliseconds,
  });
  server.timeout = idleTimeoutMilliseconds;
  // Beyond its default of 2,000 Node drops headers without an error.
  server.maxHeadersCount = 0;
  // Else Node ends a connection with responses outstanding when its client ends its side.
  Object.assign(server, { httpAllowHalfOpen: true });
  const receive: RequestHandler = (raw, response) => {
    const error = framingError(raw);
    if (error) {
      socketErrors.refuse(raw.socket, error);
      return;
    }
    const isAdded = getRequestQueue(raw.socket).add(raw, response, (context) => {
      context.startedAt = performance.now();
      if (connections.isDraining && !response.headersSent) response.setHeader('connection', 'close');
      response.once('close', () => options.onEnd(context));
      handler(raw, response);
    });
    if (!isAdded) connections.drop(raw.socket);
  };
  connections.watch(server);
  server.on('request', receive);
  server.on('checkContinue', receive);
  server.on('checkExpectation', receive);
  server.on('connect', (raw: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    const headers = { allow: options.allowedMethods() };
    const notAllowed = new ApplicationError('method_not_allowed', 'CONNECT is not allowed here.', { headers });
    socketErrors.refuse(socket, framingError(raw) ?? notAllowed);
  });
  server.on('clientError', socketErrors.handle);
  return server;
}

const queues = new WeakMap<Duplex, RequestQueue>();

/** Returns the requests of a connection of the server. */
export function getRequestQueue(socket: Duplex): RequestQueue {
  const known = queues.get(socket);
  if (known) return known;
  const queue = new RequestQueue(socket);
  queues.set(socket, queue);
  return queue;
}

/** Runs the requests of one connection one after another, in their order (RFC 9112 section 9.3.2). */
class RequestQueue {
  /** The request that runs, or the last one that ran. */
  current: RequestContext | undefined;
  /** The request whose head arrived last. */
  latest: RequestContext | undefined;
  private readonly waiting: (() => void)[] = [];
  private isClosed = false;

  constructor(private readonly socket: Duplex) {}

  /**
   * Calls `run` once the requests before have their responses, unless the connection is lost by then. Returns false if it takes no
   * further requests.
   */
  add(raw: IncomingMessage, response: ServerResponse, run: (context: RequestContext) => void): boolean {
    if (!this.isClosed && this.waiting.length === MOST_WAITING) {
      this.latest?.response.setHeader('connection', 'close');
      this.close();
    }
    if (this.isClosed) return false;
    const context = new RequestContext(raw, response);
    this.latest = context;
    this.enqueue(() => {
      this.current = context;
      response.once('close', () => {
        // Others have their turn of the event loop first.
        if (this.waiting.length > 0) setImmediate(this.startNext);
      });
      run(context);
    });
    return true;
  }

  /** Calls `last` once the requests before have their responses, and reads nothing more. Does nothing if there is a last one. */
  end(last: () => void): void {
    if (this.isClosed) return;
    this.close();
    this.enqueue(last);
  }

  private close(): void {
    this.isClosed = true;
    stopReading(this.socket);
  }

  private enqueue(start: () => void): void {
    if (this.waiting.length > 0 || this.current?.response.closed === false) this.waiting.push(start);
    else start();
  }

  private readonly startNext = (): void => {
    if (this.socket.writable) this.waiting.shift()?.();
    else this.waiting.length = 0;
  };
}

/**
 * Ends a connection whose client may still be sending: nothing more is read, and the client has two seconds to read the response. Closed
 * at once, with bytes unread, the connection would be reset and the response lost (RFC 9112 section 9.6).
 */
export function closeLingering(socket: Duplex): void {
  stopReading(socket);
  if (!socket.writableEnded) socket.end();
  const deadline = setTimeout(() => socket.destroy(), LINGER_MILLISECONDS).unref();
  socket.once('close', () => clearTimeout(deadline));
}

/** Reads nothing more of a connection, even if Node resumes it, as it does after each message. */
function stopReading(socket: Duplex): void {
  socket.on('resume', () => socket.pause());
  socket.pause();
}

/** Leaves the rest of a body unread, and closes its connection, lingering, once the response is written. */
export function abandonBody(raw: IncomingMessage): void {
  raw.pause();
  // Node reads a body to its end after the response unless something was read of it.
  raw.read();
  raw.socket.destroySoon = function lingerInstead() {
    closeLingering(this);
  };
}
