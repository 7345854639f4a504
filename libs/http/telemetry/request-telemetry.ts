import { context, SpanKind, type Span } from '@opentelemetry/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Counter, Histogram } from 'prom-client';
import {
  withSpan,
  endSpan,
  failSpan,
  isTracing,
  maskPath,
  readTraceparent,
  startSpan,
  type ApplicationError,
  type MetricsRegistry,
} from '#libs/observability';
import type { RouteTable } from '../admission/route-table.js';
import { decodedPath, getKeyId, getTraceMembers, type RequestContext } from '../request/request-context.js';

/** RFC 9110 and RFC 5789; the conventions have one word for all others. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
/** Methods with a label of their own. */
const COUNTED_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** Bounds the series by key. */
const MAX_KEYS = 200;
/** Stands for all values of a label that are not counted on their own. */
const OTHER = 'other';
/** The route of every path without a route. */
const NO_ROUTE = 'none';
/** The route of what could not be read as a request. */
const UNREADABLE = 'unreadable';
/** The status if the client went away before the response began. */
const ABORTED = 'aborted';

/** Returns the client address that the log shows. */
export interface ClientAddresses {
  ofRequest(request: FastifyRequest): string;
  /** The same for a connection on which no request could be read. */
  ofConnection(remoteAddress: string | undefined): string;
}

/** Writes a line for each request. */
export class RequestLog {
  constructor(private readonly logger: Logger) {}

  /**
   * Writes the line of a request that is over, answered or not. `route` is the route's template or, if no route has the path, the masked
   * path without the query; `durationMs` is from the parsed head to the end of the response; `code` is that of an error.
   */
  write(context: RequestContext): void {
    const level = context.routeInfo?.isQuiet ? 'debug' : 'info';
    if (!this.logger.isLevelEnabled(level)) return;
    const { request, response, raw, routeInfo, target, startedAt, errorCode: code, clientAddress } = context;
    this.logger[level](
      {
        requestId: request?.id ?? '',
        method: raw.method ?? '',
        route: routeInfo?.template ?? maskPath(decodedPath(target)),
        status: response.statusCode,
        durationMs: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
        code,
        clientAddress,
        keyId: getKeyId(request),
        ...getTraceMembers(context),
        aborted: !response.writableFinished || raw.errored !== null ? true : undefined,
      },
      'request',
    );
  }

  /** Writes a line for a response to bytes that could not be parsed as a request. */
  writeRefusal(error: ApplicationError, requestId: string, clientAddress: string | undefined): void {
    this.logger.info({ requestId, status: error.status, code: error.code, clientAddress }, 'refused connection');
  }
}

/** Handles each request in a span of its own, below that of the client, except requests that machines send all the time. */
export function openRequestSpans(instance: FastifyInstance, routes: RouteTable): void {
  if (!isTracing()) return;
  instance.addHook('onRequest', ({ context: requestContext, method, routeOptions: { url } }, _reply, done) => {
    const { raw, startedAt: startTime } = requestContext;
    const isQuiet = url !== undefined && routes.ofRoute(method, url).isQuiet;
    const parent = readTraceparent(raw.headers['traceparent']);
    const span = isQuiet ? undefined : startSpan(spanName(method), { kind: SpanKind.SERVER, startTime }, parent);
    if (!span) {
      done();
      return;
    }
    requestContext.span = span;
    requestContext.endSpan = () => endRequestSpan(span, requestContext);
    context.with(withSpan(span), done);
  });
}

/** Ends the span of a request, answered or not. It contains nothing of the query, and of the path nothing that may be a key. */
function endRequestSpan(span: Span, requestContext: RequestContext): void {
  const { raw, response, routeInfo, target, request } = requestContext;
  requestContext.endSpan = undefined;
  const { method = '' } = raw;
  const route = routeInfo?.template;
  span.updateName(route === undefined ? spanName(method) : `${spanName(method)} ${route}`);
  span.setAttributes({
    'http.request.method': METHODS.has(method) ? method : '_OTHER',
    'http.request.method_original': METHODS.has(method) ? undefined : method,
    'http.route': route,
    'url.path': maskPath(decodedPath(target)),
    'url.scheme': request?.protocol ?? 'http',
    'http.response.status_code': response.headersSent ? response.statusCode : undefined,
    'adoption.request.id': request?.id,
  });
  if (response.headersSent && response.statusCode >= 500) failSpan(span, String(response.statusCode));
  endSpan(span);
}

function spanName(method: string): string {
  return METHODS.has(method) ? method : 'HTTP';
}

/** The metrics of the HTTP server. */
export class HttpMetrics {
  private readonly keys = new Set<string>();
  private readonly requests: Counter<'method' | 'route' | 'status'>;
  private readonly deprecatedRequests: Counter<'route' | 'key_id'>;
  private readonly durations: Histogram<'method' | 'route'>;

  constructor(registry: MetricsRegistry) {
    const { prefix } = registry;
    this.requests = new Counter({
      name: `${prefix}http_requests_total`,
      help: 'Requests that were answered, by the template of their route',
      labelNames: ['method', 'route', 'status'],
      registers: [registry],
    });
    this.deprecatedRequests = new Counter({
      name: `${prefix}deprecated_requests_total`,
      help: 'Requests whose answer says that the route is deprecated, by the id of their API key; those beyond the first 200 as "other"',
      labelNames: ['route', 'key_id'],
      registers: [registry],
    });
    this.durations = new Histogram({
      name: `${prefix}http_request_duration_seconds`,
      help: 'Seconds from the parsed head of a request to the end of its answer; without streams and answers that wait for something',
      labelNames: ['method', 'route'],
      buckets: SECONDS,
      registers: [registry],
    });
  }

  /** Counts a request that is over. */
  observe({ request, reply, raw, response, routeInfo, startedAt, isOpenEnded }: RequestContext): void {
    const method = raw.method !== undefined && COUNTED_METHODS.has(raw.method) ? raw.method : OTHER;
    const route = routeInfo?.template ?? NO_ROUTE;
    this.requests.inc({ method, route, status: response.headersSent ? response.statusCode : ABORTED });
    if (!isOpenEnded) this.durations.observe({ method, route }, (performance.now() - startedAt) / 1_000);
    // RFC 9745
    if (reply?.hasHeader('deprecation')) this.deprecatedRequests.inc({ route, key_id: this.keyLabel(getKeyId(request)) });
  }

  /** Counts a response to something that could not be read as a request, which has no duration. */
  observeUnreadable(status: number): void {
    this.requests.inc({ method: OTHER, route: UNREADABLE, status });
  }

  private keyLabel(keyId: string | undefined): string {
    if (keyId === undefined || (this.keys.size >= MAX_KEYS && !this.keys.has(keyId))) return OTHER;
    this.keys.add(keyId);
    return keyId;
  }
}
