import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { fastify, type FastifyInstance, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isTracing } from '#libs/observability';
import { RouteTable, type RouteTableOptions } from '../admission/route-table.js';
import { respondConditionally } from '../caching/conditional-requests.js';
import { RESPONSE_HEADERS, sendError, toApplicationError } from '../errors/error.filter.js';
import { checkParameters } from '../input/read-request.js';
import { parseJson, stringifyJson } from '../json/json.js';
import { awaitBody, endProgress, resumeProgress } from '../overload/load-shedder.js';
import { decorateRequests, getRequestId, hasBody } from '../request/request-fields.js';
import { describePage } from '../pages/pages.js';
import { toRoutable } from '../request/request-target.js';
import { listMediaTypes } from '../routes/route-metadata.js';
import { openRequestSpan, RequestLog, type ClientAddresses, type HttpMetrics } from '../telemetry/request-telemetry.js';
import { Connections } from './connections.js';
import { MAXIMUM_HEAD_BYTES } from './raw-errors.js';
import { ServiceAdapter } from './service-adapter.js';

const REQUEST_TIMEOUT_MILLISECONDS = 10_000;
const IDLE_TIMEOUT_MILLISECONDS = 60_000;
/** Linux then probes every second, ten times (libuv's `uv_tcp_keepalive`). */
const PROBED_AFTER_MILLISECONDS = 10_000;

export interface FastifyAdapterOptions extends RouteTableOptions {
  readonly bodyLimitBytes: number;
  /** Whose `X-Forwarded-*` is trusted: nobody's, everybody's, that of a number of hops, or that of addresses and networks. */
  readonly trustProxy: boolean | number | string[];
  readonly logger: Logger;
  /** Puts the client's address into the log lines of refused connections; none if undefined. */
  readonly addresses?: ClientAddresses | undefined;
  readonly metrics?: HttpMetrics;
  /** How long head and body of a request may take to arrive. Default: 10 s. */
  readonly requestTimeoutMilliseconds?: number;
  /** How long a connection may stand without a byte in either direction. Default: 60 s. */
  readonly idleTimeoutMilliseconds?: number;
  /** How long a connection may stand after a response; Node adds a second. Default: `idleTimeoutMilliseconds`. */
  readonly keepAliveMilliseconds?: number;
}

/** Returns Nest's Fastify adapter with the service's HTTP contract: server, headers, bodies, log. `ServiceAdapter.admit` completes it. */
export function createFastifyAdapter(options: FastifyAdapterOptions): ServiceAdapter {
  const { metrics, addresses, bodyLimitBytes, idleTimeoutMilliseconds = IDLE_TIMEOUT_MILLISECONDS } = options;
  const { requestTimeoutMilliseconds: requestTimeout = REQUEST_TIMEOUT_MILLISECONDS } = options;
  const log = new RequestLog(options.logger);
  const connections = new Connections((error, requestId, remoteAddress) => {
    log.writeRefusal(error, requestId, addresses?.ofConnection(remoteAddress));
    metrics?.observeUnreadable(error.status);
  });
  const instance = fastify({
    // Fastify's own log lines hold URLs.
    logger: false,
    bodyLimit: bodyLimitBytes,
    trustProxy: toTrust(options.trustProxy),
    genReqId: getRequestId,
    exposeHeadRoutes: true,
    requestTimeout,
    connectionTimeout: idleTimeoutMilliseconds,
    keepAliveTimeout: options.keepAliveMilliseconds ?? idleTimeoutMilliseconds,
    forceCloseConnections: 'idle',
    // Its response would have Fastify's body; `Connection: close` is sent anyway.
    return503OnClosing: false,
    http: {
      requireHostHeader: false,
      maxHeaderSize: MAXIMUM_HEAD_BYTES,
      headersTimeout: requestTimeout,
      connectionsCheckingInterval: Math.min(500, requestTimeout / 2),
      // Ends a connection whose peer has vanished, unless something unacknowledged was sent on it.
      keepAlive: true,
      keepAliveInitialDelay: PROBED_AFTER_MILLISECONDS,
    },
    // Admission refuses longer targets, and those that the router could not decode.
    routerOptions: { maxParamLength: MAXIMUM_HEAD_BYTES },
    rewriteUrl: ({ url = '/' }) => toRoutable(url),
    frameworkErrors: (error, _request, reply) => sendError(reply, toApplicationError(error)),
    clientErrorHandler: connections.handleError,
  });
  listenForAll(instance, connections);
  return addHooks(instance, { connections, log, ...options });
}

/** Fastify trusts nobody if it is given a number; a function of the hop trusts that many proxies in a row. */
function toTrust(trustProxy: boolean | number | string[]): boolean | string[] | ((address: string, hop: number) => boolean) {
  return typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy;
}

/** Brings what Node would answer or end by itself to the hooks. */
function listenForAll(instance: FastifyInstance, connections: Connections): void {
  const { server } = instance;
  connections.watch(server);
  for (const event of ['checkContinue', 'checkExpectation']) {
    server.on(event, (raw: IncomingMessage, response: ServerResponse) => instance.routing(raw, response));
  }
  server.on('connect', (_raw, socket: Socket) => {
    socket.on('error', () => socket.destroy());
    connections.handleError(Object.assign(new Error('CONNECT'), { code: 'CONNECT' }), socket);
  });
  // Beyond its default of 2,000 Node drops headers without an error.
  server.maxHeadersCount = 0;
  // Else Node ends a connection with responses outstanding when its client ends its side.
  Object.assign(server, { httpAllowHalfOpen: true });
}

interface Parts extends FastifyAdapterOptions {
  readonly connections: Connections;
  readonly log: RequestLog;
}

/** Adds all hooks, in the order in which they run. */
function addHooks(instance: FastifyInstance, { connections, log, metrics, bodyLimitBytes, ...prefixes }: Parts): ServiceAdapter {
  const table = new RouteTable(prefixes);
  decorateRequests(instance);
  parseJsonBodies(instance);
  instance.setReplySerializer(stringifyJson);
  instance.addHook('onRoute', describePage);
  instance.addHook('onRoute', table.add);

  instance.addHook('onRequest', connections.runInOrder);
  instance.addHook('onRequest', (request, reply, done) => {
    request.startedAt = performance.now();
    request.route = table.find(request);
    reply.headers(RESPONSE_HEADERS).header('x-request-id', request.id);
    reply.raw.once('close', () => {
      request.endSpan?.();
      metrics?.observe(request, reply);
      log.write(request, reply);
    });
    done();
  });
  if (isTracing()) instance.addHook('onRequest', openRequestSpan);
  // Adds the hook of `enableCors`, which answers preflights.
  const adapter = new ServiceAdapter(instance, connections, table, bodyLimitBytes);
  instance.addHook('onRequest', (request, reply) => adapter.admission(request, reply));
  instance.addHook('onRoute', (route) => adapter.cachedResponses?.addTo(route));

  instance.addHook('preParsing', awaitBody);
  instance.addHook('preValidation', resumeProgress);
  instance.addHook('preValidation', (request, _reply, done) => done(request.bodyError));
  instance.addHook('preValidation', checkParameters);

  instance.addHook('onSend', (request, _reply, _payload, done) => {
    endProgress(request);
    done();
  });
  instance.addHook('onSend', respondConditionally);
  instance.addHook('onSend', (request, reply, _payload, done) => {
    if (connections.isDraining || isLeftUnread(request, bodyLimitBytes)) reply.header('connection', 'close');
    done();
  });
  return adapter;
}

/** Whether a response ends before its body arrived, unless that is known to be within the limit: Node reads that one. */
function isLeftUnread(request: FastifyRequest, limitBytes: number): boolean {
  const { raw, headers, bodyError } = request;
  return hasBody(request) && !raw.complete && (bodyError !== undefined || !(Number(headers['content-length']) <= limitBytes));
}

/**
 * Parses the bodies of all routes, of whatever media type, by `parseJson`. An empty body is undefined. Fastify would close the connection
 * after a mistake that is thrown here.
 */
function parseJsonBodies(instance: FastifyInstance): void {
  const parse = (request: FastifyRequest, body: Buffer, done: (error: null, parsed: unknown) => void): void => {
    let parsed: unknown;
    try {
      if (body.length > 0) parsed = parseJson(body);
    } catch (error) {
      request.bodyError = toApplicationError(error);
    }
    done(null, parsed);
  };
  instance.removeAllContentTypeParsers();
  instance.addHook('onRoute', ({ config }) => {
    for (const mediaType of listMediaTypes(config?.reads?.body)) {
      if (!instance.hasContentTypeParser(mediaType)) instance.addContentTypeParser(mediaType, { parseAs: 'buffer' }, parse);
    }
  });
}
