import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { ApplicationError } from '#libs/errors';
import { answerClientError } from './client-error.js';
import type { EdgeResponder } from './edge-responder.js';
import { Exchange } from './exchange.js';
import { MAXIMUM_HEAD_BYTES } from './head-limit.js';

const KEEP_ALIVE_MILLISECONDS = 60_000;
const MAXIMUM_CHECK_INTERVAL = 500;

export interface HttpServerOptions {
  /** How long head and body of a request may take to arrive. */
  readonly requestTimeoutMilliseconds: number;
  readonly edge: EdgeResponder;
  /** The methods the server has any resource for, as an `Allow` header lists them. */
  readonly allowedMethods: () => string;
  /** Called for each exchange before it is routed. */
  readonly onExchange: (exchange: Exchange) => void;
}

type RequestHandler = (raw: IncomingMessage, response: ServerResponse) => void;

/** A Node HTTP server that leaves no answer to Node: every one comes from the handler or from the `EdgeResponder`. */
export function createHttpServer(handler: RequestHandler, options: HttpServerOptions): Server {
  const { edge, requestTimeoutMilliseconds } = options;
  const server = createServer({
    requireHostHeader: false,
    maxHeaderSize: MAXIMUM_HEAD_BYTES,
    headersTimeout: requestTimeoutMilliseconds,
    requestTimeout: requestTimeoutMilliseconds,
    connectionsCheckingInterval: Math.min(MAXIMUM_CHECK_INTERVAL, requestTimeoutMilliseconds / 2),
    keepAliveTimeout: KEEP_ALIVE_MILLISECONDS,
  });
  // Beyond its default of 2,000 Node drops headers without a word.
  server.maxHeadersCount = 0;
  const receive: RequestHandler = (raw, response) => {
    options.onExchange(new Exchange(raw, response));
    handler(raw, response);
  };
  server.on('request', receive);
  server.on('checkContinue', receive);
  server.on('checkExpectation', receive);
  server.on('connect', (_raw: IncomingMessage, socket: Duplex) => {
    socket.on('error', () => socket.destroy());
    edge.answer(
      socket,
      new ApplicationError('method_not_allowed', 'CONNECT is not allowed here.', { headers: { allow: options.allowedMethods() } }),
    );
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => answerClientError(edge, error, socket));
  return server;
}
