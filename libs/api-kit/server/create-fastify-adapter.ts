import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { RouteTable, type RouteTableOptions } from '../admission/route-table.js';
import { answerConditionally } from '../caching/conditional-request.hook.js';
import { toApplicationError } from '../errors/to-application-error.js';
import { Exchange } from '../exchange/exchange.js';
import { MAXIMUM_HEAD_BYTES } from '../exchange/request-head.js';
import { ANSWER_HEADERS, sendError } from '../exchange/send-error.js';
import { stringifyJson } from '../json/stringify-json.js';
import { requestIdOf } from '../logging/mask.js';
import { RequestLog, type ClientAddresses } from '../logging/request-log.js';
import type { HttpMetrics } from '../metrics/http.metrics.js';
import { checkParameters } from '../requests/storable-parameters.hook.js';
import { openRequestSpans } from '../tracing/request-spans.js';
import { Connections } from './connections.js';
import { createHttpServer } from './http-server.js';
import { installJsonBodyParser } from './json-body-parser.js';
import { closeOnUnreadBody } from './lingering-close.js';
import { SocketErrorWriter } from './socket-error-writer.js';
import { requestsOf } from './request-queue.js';
import { ServiceAdapter } from './service-adapter.js';

export interface FastifyAdapterOptions extends RouteTableOptions {
  readonly bodyLimitBytes: number;
  /** Whose `X-Forwarded-*` is believed: nobody's, everybody's, that of a number of hops, or that of addresses and networks. */
  readonly trustProxy: boolean | number | string[];
  readonly logger: Logger;
  /** Whom the log says that a connection was refused to; nobody when left out. */
  readonly addresses?: ClientAddresses | undefined;
  /** Counts every answer; none does when left out. */
  readonly metrics?: HttpMetrics;
  /** Traces every request; none is traced when left out. */
  /** How long head and body of a request may take to arrive; ten seconds when left out. */
  readonly requestTimeoutMilliseconds?: number;
  /** How long a connection may stand without a byte in either direction; sixty seconds when left out. */
  readonly idleTimeoutMilliseconds?: number;
}

const REQUEST_TIMEOUT_MILLISECONDS = 10_000;
const IDLE_TIMEOUT_MILLISECONDS = 60_000;

/** Nest's Fastify adapter with the service's HTTP contract: server, headers, bodies, log. `ServiceAdapter.admit` completes it. */
export function createFastifyAdapter(options: FastifyAdapterOptions): ServiceAdapter {
  const { metrics } = options;
  const routes = new RouteTable(options);
  const log = new RequestLog(options.logger);
  const connections = new Connections();
  const rawErrors = new SocketErrorWriter((error, requestId, remoteAddress) => {
    log.writeRefusal(error, requestId, options.addresses?.ofConnection(remoteAddress));
    metrics?.observeUnreadable(error.status);
  });
  const instance = fastify({
    // Fastify's own log lines hold URLs.
    logger: false,
    bodyLimit: options.bodyLimitBytes,
    trustProxy: trustOf(options.trustProxy),
    genReqId: requestIdOf,
    exposeHeadRoutes: true,
    // The answer it would give has a body of Fastify's own; `Connection: close` is sent all the same.
    return503OnClosing: false,
    // Targets over the limit are refused by admission.
    routerOptions: { maxParamLength: MAXIMUM_HEAD_BYTES },
    frameworkErrors: (error, request, reply) => {
      // No hook has run.
      openExchange(request, reply, () => undefined);
      sendError(reply, toApplicationError(error));
    },
    // The server factory listens itself, also on the further servers Fastify makes for `localhost`.
    clientErrorHandler: () => undefined,
    serverFactory: (handler) =>
      createHttpServer(handler, {
        rawErrors,
        connections,
        requestTimeoutMilliseconds: options.requestTimeoutMilliseconds ?? REQUEST_TIMEOUT_MILLISECONDS,
        idleTimeoutMilliseconds: options.idleTimeoutMilliseconds ?? IDLE_TIMEOUT_MILLISECONDS,
        allowedMethods: () => routes.allMethods(),
        onEnd: (exchange) => {
          exchange.endSpan?.();
          metrics?.observe(exchange);
          log.write(exchange);
        },
      }),
  });
  installHooks(instance, routes, options);
  return new ServiceAdapter(instance, {
    routes,
    jsonPrefixes: options.jsonPrefixes,
    rawErrors,
    bodyLimitBytes: options.bodyLimitBytes,
    connections,
  });
}

/** Fastify trusts nobody when it is given a number; a function of the hop says what is meant: that many proxies in a row. */
function trustOf(trustProxy: boolean | number | string[]): boolean | string[] | ((address: string, hop: number) => boolean) {
  return typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy;
}

function installHooks(instance: FastifyInstance, routes: RouteTable, { bodyLimitBytes }: FastifyAdapterOptions): void {
  instance.decorateRequest('exchange');
  instance.addHook('onRoute', (route) => routes.add(route));
  instance.addHook('onRequest', openExchange);
  openRequestSpans(instance, routes);
  instance.addHook('preValidation', checkParameters);
  instance.addHook('onSend', answerConditionally);
  instance.addHook('onSend', closeOnUnreadBody(bodyLimitBytes));
  instance.setReplySerializer(stringifyJson);
  installJsonBodyParser(instance);
}

function openExchange(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { current } = requestsOf(request.raw.socket);
  const exchange = current?.raw === request.raw ? current : new Exchange(request.raw, reply.raw);
  exchange.request = request;
  exchange.reply = reply;
  request.exchange = exchange;
  reply.headers(ANSWER_HEADERS).header('x-request-id', request.id);
  done();
}
