import type { Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { ApplicationError, invalidParameter } from '#libs/observability';
import { checkCreation, checkIfMatch } from '../caching/conditional-requests.js';
import { decodedPath, headersTooLarge, MAXIMUM_HEAD_BYTES, MAXIMUM_TARGET_BYTES, type RouteInfo } from '../request/request-context.js';
import { JSON_MEDIA_TYPE, type AdmissionCheck } from '../routes/route-metadata.js';
import type { CrossOriginPolicy } from './cross-origin.js';
import type { RouteTable } from './route-table.js';

const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;
const UTF_8_CONTENT_TYPE = /^([^\t ;]+)[\t ]*(?:;[\t ]*charset=(?:utf-?8|"utf-?8")[\t ]*)?$/i;
const REQUEST_LINE_REST = '  HTTP/1.1\r\n\r\n'.length;
const HEADER_LINE_REST = ': \r\n'.length;
const CONTINUE = '100-continue';

/** A part of admission, such as authentication. Throws or rejects with an ApplicationError to refuse. */
export type AdmissionHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | void;

export interface AdmissionHooks {
  /** For every request to a protected path, even without a route, before its body is read. */
  readonly authenticate: AdmissionHook;
  /** For every other request, except to exempt paths. Default: none. */
  readonly countOpen?: AdmissionHook;
  /** For a preflight of an allowed origin. Default: none. */
  readonly describePreflight?: AdmissionHook;
  /** Returns the provider that a route names by `AdmittedBy`. */
  readonly getCheck: (check: Type<AdmissionCheck>) => AdmissionCheck;
}

export interface AdmissionOptions extends AdmissionHooks {
  readonly routes: RouteTable;
  /** Undefined if no other origin is allowed. */
  readonly crossOrigin: CrossOriginPolicy | undefined;
  readonly bodyLimitBytes: number;
}

/**
 * Returns an `onRequest` hook that decides over a request by its head, before its body is read. The order of refusals: those of
 * the hooks, 431, 414, 404, 405, those of the route's `AdmissionCheck`, 406, 417, 415, 413, 400.
 */
export function createAdmission(options: AdmissionOptions): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  const { routes, crossOrigin, bodyLimitBytes } = options;
  return async (request, reply) => {
    const { context, routeOptions } = request;
    const route = findRoute(request, routes);
    context.routeInfo = route;
    crossOrigin?.addHeaders(request, reply);
    const isPreflight = crossOrigin?.isPreflight(request) ?? false;
    // Awaited only if there is a promise: almost all of them answer at once.
    const pending = chooseHook(route, isPreflight, options)?.(request, reply);
    if (pending) await pending;
    checkHeadSize(request);
    checkTarget(request);
    if (request.method === 'OPTIONS' && (isPreflight || routeOptions.url === undefined)) {
      const known = context.targetForm === 'asterisk' ? routes.allMethods() : route.allow;
      const allow = isPreflight ? known || routes.allMethods() : known;
      if (!allow) throw notFound(request, routes);
      checkExpectation(request);
      checkSingleHeaders(request);
      reply.header('allow', allow);
      if (isPreflight) crossOrigin?.addPreflightHeaders(reply, allow);
      // RFC 5789 section 3.1.
      else if (route.acceptPatch !== undefined) reply.header('accept-patch', route.acceptPatch);
      return reply.code(204).send();
    }
    checkRoute(request, route, routes);
    const { admittedBy } = routeOptions.config;
    const checking = admittedBy && options.getCheck(admittedBy).check(request);
    if (checking) await checking;
    checkRepresentation(request, route, bodyLimitBytes);
    context.admitted = true;
    if (context.hasBody && expectsContinue(request)) reply.raw.writeContinue();
    return undefined;
  };
}

function findRoute({ context, method, routeOptions }: FastifyRequest, routes: RouteTable): RouteInfo {
  return context.targetForm === 'path' && routeOptions.url !== undefined
    ? routes.ofRoute(method, routeOptions.url)
    : routes.ofPath(method, decodedPath(context.target));
}

function chooseHook(route: RouteInfo, isPreflight: boolean, hooks: AdmissionHooks): AdmissionHook | undefined {
  if (isPreflight) return hooks.describePreflight;
  if (route.isProtected) return hooks.authenticate;
  return route.isExempt ? undefined : hooks.countOpen;
}

function checkRoute(request: FastifyRequest, route: RouteInfo, routes: RouteTable): void {
  if (!route.template || lacksParameter(request, route)) throw notFound(request, routes);
  if (request.routeOptions.url !== undefined) return;
  const { method } = request;
  // The path has the method only in another spelling, such as with an encoded letter.
  if (route.allow.split(', ').includes(method)) throw notFound(request, routes);
  throw new ApplicationError('method_not_allowed', `${method} is not allowed here; allowed are ${route.allow}.`, {
    headers: { allow: route.allow },
  });
}

/** The router takes an empty segment for a parameter, so that `/pets/` would be a pet. */
function lacksParameter(request: FastifyRequest, route: RouteInfo): boolean {
  return route.hasParameters && Object.entries(request.params ?? {}).some(([name, value]) => value === '' && name !== '*');
}

function checkRepresentation(request: FastifyRequest, route: RouteInfo, bodyLimitBytes: number): void {
  const { context, headers, method } = request;
  if (route.isJson) checkAccept(request);
  checkExpectation(request);
  // The body of a read has no meaning (RFC 9110 section 9.3.1).
  if (method !== 'GET' && method !== 'HEAD') {
    if (route.isJson && (context.hasBody || headers['content-type'] !== undefined)) checkContentType(request);
    checkContentLength(request, bodyLimitBytes);
  }
  checkSingleHeaders(request);
  if (context.defect) throw context.defect;
  checkIfMatch(request);
  checkCreation(request);
}

function notFound({ context }: FastifyRequest, routes: RouteTable): ApplicationError {
  const near = context.targetForm === 'path' ? routes.nearestOperation(decodedPath(context.target)) : undefined;
  return new ApplicationError('not_found', `There is nothing at this path${near === undefined ? '.' : `; did you mean ${near}?`}`);
}

/** @throws ApplicationError `headers_too_large`. Node's own limit does not count separators, so a head may pass it. */
function checkHeadSize(request: FastifyRequest): void {
  const { method = '', rawHeaders } = request.raw;
  let bytes = method.length + request.context.target.length + REQUEST_LINE_REST;
  for (const part of rawHeaders) bytes += part.length;
  bytes += (rawHeaders.length / 2) * HEADER_LINE_REST;
  if (bytes > MAXIMUM_HEAD_BYTES) throw headersTooLarge();
}

/** @throws ApplicationError `uri_too_long`, or `invalid_request` for a malformed target. */
function checkTarget({ context }: FastifyRequest): void {
  if (context.target.length > MAXIMUM_TARGET_BYTES) {
    throw new ApplicationError('uri_too_long', `The request target must not be over ${MAXIMUM_TARGET_BYTES} bytes.`);
  }
  if (context.targetForm === 'malformed') {
    throw new ApplicationError(
      'invalid_request',
      'The request target is malformed: it must be a path in ASCII with valid percent-encoding of UTF-8.',
    );
  }
}

/** Whether the client waits for a 100 before it sends the body. HTTP/1.0 has no expectations (RFC 9110 section 10.1.1). */
function expectsContinue({ raw }: FastifyRequest): boolean {
  return raw.httpVersion === '1.1' && raw.headers.expect?.trim().toLowerCase() === CONTINUE;
}

/** @throws ApplicationError `expectation_failed` for any expectation except `100-continue`. */
function checkExpectation(request: FastifyRequest): void {
  if (request.raw.httpVersion !== '1.1' || request.raw.headers.expect === undefined || expectsContinue(request)) return;
  throw new ApplicationError('expectation_failed', `The only expectation that can be met is ${CONTINUE}.`);
}

/** @throws ApplicationError `payload_too_large` for a `Content-Length` over the limit. */
function checkContentLength({ headers }: FastifyRequest, limitBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > limitBytes) {
    throw new ApplicationError('payload_too_large', `The body must not be over ${limitBytes} bytes.`);
  }
}

/**
 * @throws ApplicationError `invalid_request` for a `Host` that is missing or malformed (RFC 9112 section 3.2),
 * `invalid_parameter` for a repeated `Host` or `Content-Type`.
 */
function checkSingleHeaders(request: FastifyRequest): void {
  const host = singleHeader(request, 'Host');
  if (host === undefined ? request.raw.httpVersion === '1.1' : !HOST.test(host)) {
    throw new ApplicationError('invalid_request', 'The header Host must be sent once, with the host of the service.');
  }
  singleHeader(request, 'Content-Type');
}

/**
 * Returns the value of a header that may be sent once; undefined without it. Node joins or drops the values of a repeated header.
 * @param name in any case
 * @throws ApplicationError `invalid_parameter` naming the repeated header.
 */
export function singleHeader(request: Pick<FastifyRequest, 'raw'>, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const { rawHeaders } = request.raw;
  let value: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const given = rawHeaders[index];
    if (given?.length !== wanted.length || given.toLowerCase() !== wanted) continue;
    if (value !== undefined) throw invalidParameter(name, 'repeated', `The header ${name} is repeated; send it once`);
    value = rawHeaders[index + 1];
  }
  return value;
}

/**
 * Chooses the media type of the response (RFC 9110 section 12.5.1): JSON, unless the client prefers another one of the route.
 * @throws ApplicationError `not_acceptable` if the client accepts none of them.
 */
function checkAccept(request: FastifyRequest): void {
  const { accept } = request.headers;
  if (accept === undefined || accept === '' || accept === '*/*' || accept === JSON_MEDIA_TYPE) return;
  const offered = [JSON_MEDIA_TYPE, ...Object.keys(request.routeOptions.config.operation?.answer.representations ?? {})];
  const chosen = new Negotiator(request).mediaType(offered.flatMap((mediaType) => [mediaType, `${mediaType};charset=utf-8`]));
  if (chosen === undefined) {
    throw new ApplicationError('not_acceptable', `The answer is ${offered.join(' or ')}, which the Accept header does not allow.`);
  }
  request.context.mediaType = chosen.replace(/;.*$/, '');
}

/**
 * @throws ApplicationError `unsupported_media_type` unless the body is sent as a media type of the route, in UTF-8, without a further
 * coding. Its headers name what would be right (RFC 9110 section 15.5.16), for a `PATCH` also `Accept-Patch` (RFC 5789 section 2.2).
 */
export function checkContentType({ method, headers, context }: FastifyRequest): void {
  const { 'content-type': type = '', 'content-encoding': encoding } = headers;
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw unsupported('The body must be sent without a Content-Encoding', { 'accept-encoding': 'identity' });
  }
  const { mediaTypes = [] } = context.routeInfo ?? {};
  const sent = UTF_8_CONTENT_TYPE.exec(type)?.[1]?.toLowerCase();
  if (sent !== undefined && mediaTypes.includes(sent)) return;
  const accept = mediaTypes.join(', ');
  const message = `The body must be sent with Content-Type: ${mediaTypes.join(' or ')}, in UTF-8`;
  throw unsupported(message, { accept, ...(method === 'PATCH' && { 'accept-patch': accept }) });
}

function unsupported(message: string, headers: Readonly<Record<string, string>>): ApplicationError {
  return new ApplicationError('unsupported_media_type', `${message}.`, { headers });
}
