import { context, SpanKind, type Span } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';
import { contextOf, endSpan, failSpan, isTracing, readTraceparent, startSpan, maskPath } from '#libs/observability';
import type { RouteTable } from '../admission/route-table.js';
import { decodedPath, type RequestContext } from '../request/request-context.js';

/** RFC 9110 and RFC 5789; the conventions have one word for all others. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

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
    context.with(contextOf(span), done);
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
