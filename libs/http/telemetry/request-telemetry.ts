import { context, SpanKind, type Span } from '@opentelemetry/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Counter, Histogram } from 'prom-client';
import {
  withSpan,
  endSpan,
  failSpan,
  maskPath,
  readTraceparent,
  startSpan,
  type ApplicationError,
  type MetricsRegistry,
} from '#libs/observability';
import { getKeyId, getTraceMembers } from '../request/request-fields.js';
import { decodedPath } from '../request/request-target.js';

/** RFC 9110 and RFC 5789; all others share one name. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
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
  write(request: FastifyRequest, { raw: response }: FastifyReply): void {
    const { raw, route, startedAt, errorCode: code, clientAddress } = request;
    const level = isQuiet(request) ? 'debug' : 'info';
    if (!this.logger.isLevelEnabled(level)) return;
    this.logger[level](
      {
        requestId: request.id,
        method: request.method,
        route: route.template ?? maskPath(decodedPath(request.originalUrl)),
        status: response.statusCode,
        durationMs: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
        code,
        clientAddress,
        keyId: getKeyId(request),
        ...getTraceMembers(request),
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

/** An `onRequest` hook. Handles a request in a span of its own, below that of the client, unless machines send it all the time. */
export function openRequestSpan(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { raw, startedAt: startTime, method } = request;
  const parent = readTraceparent(raw.headers['traceparent']);
  const span = isQuiet(request) ? undefined : startSpan(spanName(method), { kind: SpanKind.SERVER, startTime }, parent);
  if (!span) {
    done();
    return;
  }
  request.span = span;
  request.endSpan = () => endRequestSpan(span, request, reply);
  context.with(withSpan(span), done);
}

/** Ends the span of a request, answered or not. It contains nothing of the query, and of the path nothing that may be a key. */
function endRequestSpan(span: Span, request: FastifyRequest, { raw: response }: FastifyReply): void {
  request.endSpan = undefined;
  const { method, originalUrl, protocol, id } = request;
  const route = request.route.template;
  span.updateName(route === undefined ? spanName(method) : `${spanName(method)} ${route}`);
  span.setAttributes({
    'http.request.method': METHODS.has(method) ? method : '_OTHER',
    'http.request.method_original': METHODS.has(method) ? undefined : method,
    'http.route': route,
    'url.path': maskPath(decodedPath(originalUrl)),
    'url.scheme': protocol,
    'http.response.status_code': response.headersSent ? response.statusCode : undefined,
    'adoption.request.id': id,
  });
  if (response.headersSent && response.statusCode >= 500) failSpan(span, String(response.statusCode));
  endSpan(span);
}

function isQuiet({ route: { isExempt, template } }: FastifyRequest): boolean {
  return isExempt && template !== undefined;
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
  observe(request: FastifyRequest, reply: FastifyReply): void {
    const { raw: response } = reply;
    const method = METHODS.has(request.method) ? request.method : OTHER;
    const route = request.route.template ?? NO_ROUTE;
    this.requests.inc({ method, route, status: response.headersSent ? response.statusCode : ABORTED });
    if (!request.isOpenEnded) this.durations.observe({ method, route }, (performance.now() - request.startedAt) / 1_000);
    // RFC 9745
    if (reply.hasHeader('deprecation')) this.deprecatedRequests.inc({ route, key_id: this.keyLabel(getKeyId(request)) });
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
