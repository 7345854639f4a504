import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApplicationError } from '#libs/errors';
import type { RequestContext } from '../request/request-context.js';
import { MAXIMUM_HEAD_BYTES } from '../request/request-head.js';
import { refusalOfHead } from '../request/request-head.js';
import { answerClientError, overdue, type ClientError } from './client-error.js';
import type { Connections } from './connections.js';
import type { SocketErrorWriter } from './socket-error-writer.js';
import { requestsOf } from './request-queue.js';

const MAXIMUM_CHECK_INTERVAL = 500;

export interface HttpServerOptions {
  /** How long head and body of a request may take to arrive. */
  readonly requestTimeoutMilliseconds: number;
  /** How long a connection may stand without a byte in either direction, between requests or while an answer is not read. */
  readonly idleTimeoutMilliseconds: number;
  readonly rawErrors: SocketErrorWriter;
  readonly connections: Connections;
  /** The methods the server has any routeInfo for, as an `Allow` header lists them. */
  readonly allowedMethods: () => string;
  /** Called for each context when it is over, answered or not. */
  readonly onEnd: (context: RequestContext) => void;
}

type RequestHandler = (raw: IncomingMessage, response: ServerResponse) => void;

/** A Node HTTP server that leaves no answer to Node: every one comes from the handler or from the `SocketErrorWriter`. */
export function createHttpServer(handler: RequestHandler, options: HttpServerOptions): Server {
  const { rawErrors, requestTimeoutMilliseconds, idleTimeoutMilliseconds } = options;
  const server = createServer({
    requireHostHeader: false,
    maxHeaderSize: MAXIMUM_HEAD_BYTES,
    headersTimeout: requestTimeoutMilliseconds,
    requestTimeout: requestTimeoutMilliseconds,
    connectionsCheckingInterval: Math.min(MAXIMUM_CHECK_INTERVAL, requestTimeoutMilliseconds / 2),
    keepAliveTimeout: idleTimeoutMilliseconds,
  });
  server.timeout = idleTimeoutMilliseconds;
  // Beyond its default of 2,000 Node drops headers without a word.
  server.maxHeadersCount = 0;
  // A client that ends its side has asked all it wants; else Node ends the other one with answers outstanding.
  Object.assign(server, { httpAllowHalfOpen: true });
  const receive: RequestHandler = (raw, response) => {
    const refusal = refusalOfHead(raw);
    if (refusal) {
      rawErrors.answerInTurn(raw.socket, refusal);
      return;
    }
    const isAdded = requestsOf(raw.socket).add(raw, response, (context) => {
      context.startedAt = performance.now();
      options.connections.prepare(response);
      response.once('close', () => options.onEnd(context));
      handler(raw, response);
    });
    if (!isAdded) options.connections.drop(raw.socket);
  };
  const refuse = (error: ClientError, socket: Duplex): void => answerClientError(rawErrors, error, socket);
  options.connections.watch(server, (socket) => refuse(overdue(), socket));
  server.on('request', receive);
  server.on('checkContinue', receive);
  server.on('checkExpectation', receive);
  server.on('connect', (raw: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    const headers = { allow: options.allowedMethods() };
    rawErrors.answerInTurn(
      socket,
      refusalOfHead(raw) ?? new ApplicationError('method_not_allowed', 'CONNECT is not allowed here.', { headers }),
    );
  });
  server.on('clientError', refuse);
  return server;
}
