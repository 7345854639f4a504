import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApplicationError } from '#libs/observability';
import { framingError, MAXIMUM_HEAD_BYTES } from '../admission/head-checks.js';
import type { RequestContext } from '../request/request-context.js';
import type { Connections } from './connections.js';
import { requestsOf } from './request-queue.js';
import type { SocketErrorWriter } from './socket-errors.js';

const MAXIMUM_CHECK_INTERVAL = 500;

export interface HttpServerOptions {
  /** How long head and body of a request may take to arrive. */
  readonly requestTimeoutMilliseconds: number;
  /** How long a connection may stand without a byte in either direction, between requests or while a response is not read. */
  readonly idleTimeoutMilliseconds: number;
  readonly socketErrors: SocketErrorWriter;
  readonly connections: Connections;
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
    const isAdded = requestsOf(raw.socket).add(raw, response, (context) => {
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
    socketErrors.refuse(
      socket,
      framingError(raw) ?? new ApplicationError('method_not_allowed', 'CONNECT is not allowed here.', { headers }),
    );
  });
  server.on('clientError', socketErrors.handle);
  return server;
}
