import type { FastifyInstance } from 'fastify';
import { readTraceparent, type Span, type Tracing } from '#libs/tracing';
import type { RouteTable } from '../admission/route-table.js';
import { decodedPath, type RequestContext } from '../request/request-context.js';
import { maskPath } from '../logging/mask.js';

/** RFC 9110 and RFC 5789; the conventions have one word for all others. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT']);

/** Has each request handled in a span of its own, below that of the client; those that are asked all the time by machines in none. */
export function openRequestSpans(instance: FastifyInstance, routes: RouteTable, tracing: Tracing): void {
  if (!tracing.isOn) return;
  instance.addHook('onRequest', ({ context, method, routeOptions: { url } }, _reply, done) => {
    if (url !== undefined && routes.ofRoute(method, url).isQuiet) {
      done();
      return;
    }
    const { raw, startedAt } = context;
    const span = tracing.start(readTraceparent(raw.headers['traceparent']), { name: nameOf(method), kind: 'server', startedAt });
    context.span = span;
    context.endSpan = span && (() => end(span, context));
    if (span) span.run(done);
    else done();
  });
}

/** Of a request that is over, answered or not. Nothing of the query is in it, and of the path nothing that may be a key. */
function end(span: Span, context: RequestContext): void {
  const { raw, response, routeInfo, target, request } = context;
  context.endSpan = undefined;
  const { method = '' } = raw;
  const route = routeInfo?.template;
  span.rename(route === undefined ? nameOf(method) : `${nameOf(method)} ${route}`);
  span.set({
    'http.request.method': METHODS.has(method) ? method : '_OTHER',
    'http.request.method_original': METHODS.has(method) ? undefined : method,
    'http.route': route,
    'url.path': maskPath(decodedPath(target)),
    'url.scheme': request?.protocol ?? 'http',
    'http.response.status_code': response.headersSent ? response.statusCode : undefined,
    'adoption.request.id': request?.id,
  });
  if (response.headersSent && response.statusCode >= 500) span.fail(String(response.statusCode));
  span.end();
}

function nameOf(method: string): string {
  return METHODS.has(method) ? method : 'HTTP';
}
