import { FastifyAdapter } from '@nestjs/platform-fastify';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApplicationError } from '#libs/observability';
import { createAdmission, type AdmissionHooks } from '../admission/admission.js';
import { CrossOriginPolicy } from '../admission/cross-origin.js';
import { RouteTable, type Route, type RouteTableOptions } from '../admission/route-table.js';
import { CachedResponses, type CachedResponsesOptions } from '../caching/cached-responses.js';
import { respondConditionally } from '../caching/conditional-requests.js';
import { RESPONSE_HEADERS, sendError, toApplicationError } from '../errors/error.filter.js';
import { parseJson, stringifyJson } from '../json/json.js';
import { MAXIMUM_HEAD_BYTES, RequestContext, getRequestId } from '../request/request-context.js';
import { incompleteRoutes } from './incomplete-routes.js';
import { checkParameters } from '../input/read-request.js';
import { describePage } from '../pages/pages.js';
import { listMediaTypes } from '../routes/route-metadata.js';
import { openRequestSpans, RequestLog, type ClientAddresses, type HttpMetrics } from '../telemetry/request-telemetry.js';
import { abandonBody, type CountUnreadable } from './connection.js';
import { Connections, readDescriptorLimit } from './connections.js';

const REQUEST_TIMEOUT_MILLISECONDS = 10_000;
const IDLE_TIMEOUT_MILLISECONDS = 60_000;
/** The others are for files, the database and outgoing requests. */
const SHARE_OF_DESCRIPTORS = 0.8;

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
  /** Connections beyond which the oldest one without a request is closed. Default: four fifths of the file descriptors of the process. */
  readonly maxConnections?: number;
}

/** Admission policy. Set after the modules are composed. */
export interface AdmissionPolicy extends AdmissionHooks {
  /** Origins whose pages may call the service, as browsers send them. */
  readonly corsOrigins: readonly string[];
  readonly countUnreadable?: CountUnreadable;
  /** How responses of routes marked by `CacheByProjection` are cached. Default: not at all. */
  readonly cached?: CachedResponsesOptions;
}

/** Returns Nest's Fastify adapter with the service's HTTP contract: server, headers, bodies, log. `ServiceAdapter.admit` completes it. */
export function createFastifyAdapter(options: FastifyAdapterOptions): ServiceAdapter {
  const { metrics, addresses, bodyLimitBytes, idleTimeoutMilliseconds = IDLE_TIMEOUT_MILLISECONDS } = options;
  const routes = new RouteTable(options);
  const log = new RequestLog(options.logger);
  const connections = new Connections({
    requestTimeoutMilliseconds: options.requestTimeoutMilliseconds ?? REQUEST_TIMEOUT_MILLISECONDS,
    idleTimeoutMilliseconds,
    keepAliveMilliseconds: options.keepAliveMilliseconds ?? idleTimeoutMilliseconds,
    maxConnections: options.maxConnections ?? Math.floor(readDescriptorLimit() * SHARE_OF_DESCRIPTORS),
    allowedMethods: () => routes.allMethods(),
    onRefusal: (error, requestId, remoteAddress) => {
      log.writeRefusal(error, requestId, addresses?.ofConnection(remoteAddress));
      metrics?.observeUnreadable(error.status);
    },
    onEnd: (context) => {
      context.endSpan?.();
      metrics?.observe(context);
      log.write(context);
    },
  });
  const openContext = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
    const current = connections.findCurrent(request.raw);
    const context = current?.raw === request.raw ? current : new RequestContext(request.raw, reply.raw);
    context.request = request;
    context.reply = reply;
    request.context = context;
    reply.headers(RESPONSE_HEADERS).header('x-request-id', request.id);
    done();
  };
  const instance = fastify({
    // Fastify's own log lines hold URLs.
    logger: false,
    bodyLimit: bodyLimitBytes,
    trustProxy: toTrust(options.trustProxy),
    genReqId: getRequestId,
    exposeHeadRoutes: true,
    // Its response would have Fastify's body; `Connection: close` is sent anyway.
    return503OnClosing: false,
    // Admission refuses longer targets.
    routerOptions: { maxParamLength: MAXIMUM_HEAD_BYTES },
    frameworkErrors: (error, request, reply) => {
      // No hook has run.
      openContext(request, reply, () => undefined);
      sendError(reply, toApplicationError(error));
    },
    // The server below has its own listener, also on the further servers that Fastify makes for `localhost`.
    clientErrorHandler: () => undefined,
    serverFactory: (handler) => connections.createServer(handler),
  });
  instance.decorateRequest('context');
  instance.addHook('onRoute', describePage);
  instance.addHook('onRoute', (route) => routes.add(route));
  instance.addHook('onRequest', openContext);
  openRequestSpans(instance, routes);
  instance.addHook('preValidation', checkParameters);
  installJsonBodyParser(instance);
  instance.addHook('onSend', respondConditionally);
  instance.addHook('onSend', (request, reply, _payload, done) => {
    closeOnUnreadBody(request, reply, bodyLimitBytes);
    done();
  });
  instance.setReplySerializer(stringifyJson);
  return new ServiceAdapter(instance, connections, routes, options);
}

/** Fastify trusts nobody if it is given a number; a function of the hop trusts that many proxies in a row. */
function toTrust(trustProxy: boolean | number | string[]): boolean | string[] | ((address: string, hop: number) => boolean) {
  return typeof trustProxy === 'number' ? (_address, hop) => hop < trustProxy : trustProxy;
}

/**
 * Parses the bodies of all routes, of whatever media type, by `parseJson`. An empty body is undefined. A mistake is thrown after the body
 * was read, so that the connection stays open.
 */
function installJsonBodyParser(instance: FastifyInstance): void {
  const parse = (request: FastifyRequest, body: Buffer, done: (error: null, parsed: unknown) => void): void => {
    let parsed: unknown;
    try {
      if (body.length > 0) parsed = parseJson(body);
    } catch (error) {
      if (!(error instanceof ApplicationError)) throw error;
      request.context.defect = error;
    }
    done(null, parsed);
  };
  instance.removeAllContentTypeParsers();
  instance.addHook('onRoute', ({ config }) => {
    for (const mediaType of listMediaTypes(config?.reads?.body)) {
      if (!instance.hasContentTypeParser(mediaType)) instance.addContentTypeParser(mediaType, { parseAs: 'buffer' }, parse);
    }
  });
  instance.addHook('preValidation', (request, _reply, done) => done(request.context.defect));
}

/** A response before the body arrived closes the connection, unless the body is known to be within the limit: Node reads that one. */
function closeOnUnreadBody({ context, raw, headers }: FastifyRequest, reply: FastifyReply, limitBytes: number): void {
  const isRead = context.defect === undefined && Number(headers['content-length']) <= limitBytes;
  if (!context.hasBody || raw.complete || isRead) return;
  reply.header('connection', 'close');
  abandonBody(raw);
}

/** Nest's Fastify adapter for `createFastifyAdapter`. */
export class ServiceAdapter extends FastifyAdapter {
  private hasMiddleware = false;

  constructor(
    instance: FastifyInstance,
    /** The open connections, on all addresses. */
    readonly connections: Connections,
    private readonly table: RouteTable,
    private readonly settings: FastifyAdapterOptions,
  ) {
    super(instance);
  }

  /** All routes, in the order of their registration. */
  get routes(): readonly Route[] {
    return this.table.routes;
  }

  /** Installs admission; once, before the application is initialised. */
  admit({ corsOrigins, countUnreadable, cached, ...hooks }: AdmissionPolicy): void {
    const { table: routes } = this;
    const { bodyLimitBytes } = this.settings;
    const crossOrigin = corsOrigins.length === 0 ? undefined : new CrossOriginPolicy(corsOrigins);
    const instance = this.getInstance();
    instance.addHook('onRequest', createAdmission({ ...hooks, routes, crossOrigin, bodyLimitBytes }));
    if (cached) instance.addHook('onRoute', new CachedResponses(cached).addTo);
    if (countUnreadable) this.connections.countUnreadable = countUnreadable;
  }

  /**
   * To be called once all routes are registered.
   * @param known the scopes that a key can have, and the names of the read models
   * @throws Error with a line for each missing or wrong part of a route
   */
  assertRoutesComplete(known: { readonly scopes: ReadonlySet<string>; readonly readModels: ReadonlySet<string> }): void {
    const faults = incompleteRoutes(this.routes, { jsonPrefixes: this.settings.jsonPrefixes, ...known });
    if (faults.length > 0) throw new Error(faults.join('\n'));
  }

  /** Adds middleware, which runs after admission. */
  override use(...middleware: unknown[]): unknown {
    this.hasMiddleware = true;
    return super.use(...middleware);
  }

  /** Loads the engine for middleware only if there is some: it costs every request 2 µs. Middleware of modules loads it too. */
  override async init(): Promise<void> {
    if (this.hasMiddleware) await super.init();
  }
}
