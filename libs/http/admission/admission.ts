import type { Type } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { ApplicationError, invalidParameter } from '#libs/observability';
import { checkCreation, checkIfMatch } from '../caching/conditional-requests.js';
import { hasBody } from '../request/request-fields.js';
import { isWellFormed, MAXIMUM_TARGET_BYTES } from '../request/request-target.js';
import { announceDeprecation } from '../routes/deprecated.decorator.js';
import { JSON_MEDIA_TYPE, type AdmissionCheck } from '../routes/route-metadata.js';
import { ALL_METHODS } from './route-table.js';

const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;
const UTF_8_CONTENT_TYPE = /^([^\t ;]+)[\t ]*(?:;[\t ]*charset=(?:utf-?8|"utf-?8")[\t ]*)?$/i;
const CONTINUE = '100-continue';

/** A part of admission, such as authentication. Throws or rejects with an ApplicationError to refuse. */
export type AdmissionHook = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | void;

export interface AdmissionHooks {
  /** For every request to a protected path, even without a route, before its body is read. */
  readonly authenticate: AdmissionHook;
  /** For every other request, except to exempt paths. Default: none. */
  readonly countOpen?: AdmissionHook;
  /** Returns the provider that a route names by `AdmittedBy`. */
  readonly getCheck: (check: Type<AdmissionCheck>) => AdmissionCheck;
  /** The time by which deprecated routes end. */
  readonly now: () => Date;
}

/**
 * Returns an `onRequest` hook that decides over a request by its head, before its body is read. The order of refusals: those of
 * the hooks, 414, 400 of target and framing, 404, 405, those of the route's `AdmissionCheck`, 406, 417, 415, 413, 400, 410.
 */
export function createAdmission(
  { authenticate, countOpen, getCheck, now }: AdmissionHooks,
  bodyLimitBytes: number,
): (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> {
  return async (request, reply) => {
    const { route } = request;
    // Awaited only if there is a promise: almost all of them answer at once.
    const pending = route.isProtected ? authenticate(request, reply) : route.isExempt ? undefined : countOpen?.(request, reply);
    if (pending) await pending;
    const isAsterisk = request.method === 'OPTIONS' && request.originalUrl === '*';
    if (!isAsterisk) checkTarget(request);
    checkFraming(request);
    const allow = isAsterisk ? ALL_METHODS : route.allow;
    if (allow === '' || lacksParameter(request)) {
      throw new ApplicationError('not_found', 'There is nothing at this path; /openapi.json lists the paths.');
    }
    if (allow !== undefined) return answerOtherMethod(request, reply, allow);
    const { admittedBy } = request.routeOptions.config;
    const checking = admittedBy && getCheck(admittedBy).check(request);
    if (checking) await checking;
    checkRepresentation(request, bodyLimitBytes);
    announceDeprecation(request, reply, now);
    request.isAdmitted = true;
    if (hasBody(request) && expectsContinue(request)) reply.raw.writeContinue();
    return undefined;
  };
}

/** Answers `OPTIONS`. @throws ApplicationError `method_not_allowed` for every other method */
function answerOtherMethod(request: FastifyRequest, reply: FastifyReply, allow: string): FastifyReply {
  const { method, route } = request;
  if (method !== 'OPTIONS') {
    const message = `${method} is not allowed here; allowed are ${allow}.`;
    throw new ApplicationError('method_not_allowed', message, { headers: { allow } });
  }
  checkExpectation(request);
  checkSingleHeaders(request);
  // RFC 5789 section 3.1.
  if (route.acceptPatch !== undefined) reply.header('accept-patch', route.acceptPatch);
  return reply.header('allow', allow).code(204).send();
}

/** The router takes an empty segment for a parameter, so that `/pets/` would be a pet. */
function lacksParameter({ params }: FastifyRequest): boolean {
  for (const [name, value] of Object.entries(params ?? {})) if (value === '' && name !== '*') return true;
  return false;
}

function checkRepresentation(request: FastifyRequest, bodyLimitBytes: number): void {
  const { headers, method, route } = request;
  if (route.isJson) checkAccept(request);
  checkExpectation(request);
  // The body of a read has no meaning (RFC 9110 section 9.3.1).
  if (method !== 'GET' && method !== 'HEAD') {
    if (route.isJson && (hasBody(request) || headers['content-type'] !== undefined)) checkContentType(request);
    checkContentLength(request, bodyLimitBytes);
  }
  checkSingleHeaders(request);
  if (request.bodyError) throw request.bodyError;
  checkIfMatch(request);
  checkCreation(request);
}

/** @throws ApplicationError `uri_too_long`, or `invalid_request` for a malformed target. */
function checkTarget({ originalUrl }: FastifyRequest): void {
  if (originalUrl.length > MAXIMUM_TARGET_BYTES) {
    throw new ApplicationError('uri_too_long', `The request target must not be over ${MAXIMUM_TARGET_BYTES} bytes.`);
  }
  if (isWellFormed(originalUrl)) return;
  throw new ApplicationError(
    'invalid_request',
    'The request target is malformed: it must be a path in ASCII with valid percent-encoding of UTF-8.',
  );
}

/** @throws ApplicationError `invalid_request` if version, end or coding of the body are unknown (RFC 9112 sections 2.3, 6.1 and 6.3). */
function checkFraming({ raw: { httpVersion, headers } }: FastifyRequest): void {
  const coding = headers['transfer-encoding'];
  if (httpVersion === '1.1' ? coding === undefined || coding.toLowerCase() === 'chunked' : httpVersion === '1.0' && coding === undefined) {
    return;
  }
  throw new ApplicationError(
    'invalid_request',
    'The request must be HTTP/1.1, and its body sent with Content-Length or Transfer-Encoding: chunked.',
    { headers: { connection: 'close' } },
  );
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

/** Chooses the media type of the response: JSON, unless the client prefers another one of the route. */
function checkAccept(request: FastifyRequest): void {
  const { accept } = request.headers;
  if (accept === undefined || accept === '*/*' || accept === JSON_MEDIA_TYPE) return;
  const { representations = {} } = request.routeOptions.config.operation?.answer ?? {};
  request.responseMediaType = chooseMediaType(accept, [JSON_MEDIA_TYPE, ...Object.keys(representations)]);
}

/**
 * Chooses the media type of a response (RFC 9110 section 12.5.1): the first one unless the client prefers another.
 * @throws ApplicationError `not_acceptable` if the client accepts none of them
 */
export function chooseMediaType(accept: string | undefined, offered: readonly [string, ...string[]]): string {
  if (accept === undefined || accept === '') return offered[0];
  const chosen = new Negotiator({ headers: { accept } }).mediaType(
    offered.flatMap((mediaType) => [mediaType, `${mediaType};charset=utf-8`]),
  );
  if (chosen !== undefined) return chosen.replace(/;.*$/, '');
  throw new ApplicationError('not_acceptable', `The answer is ${offered.join(' or ')}, which the Accept header does not allow.`);
}

/**
 * @throws ApplicationError `unsupported_media_type` unless the body is sent as a media type of the route, in UTF-8, without a further
 * coding. Its headers name what would be right (RFC 9110 section 15.5.16), for a `PATCH` also `Accept-Patch` (RFC 5789 section 2.2).
 */
export function checkContentType({ method, headers, route: { mediaTypes } }: FastifyRequest): void {
  const { 'content-type': type = '', 'content-encoding': encoding } = headers;
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw unsupported('The body must be sent without a Content-Encoding', { 'accept-encoding': 'identity' });
  }
  const sent = UTF_8_CONTENT_TYPE.exec(type)?.[1]?.toLowerCase();
  if (sent !== undefined && mediaTypes.includes(sent)) return;
  const accept = mediaTypes.join(', ');
  const message = `The body must be sent with Content-Type: ${mediaTypes.join(' or ')}, in UTF-8`;
  throw unsupported(message, { accept, ...(method === 'PATCH' && { 'accept-patch': accept }) });
}

function unsupported(message: string, headers: Readonly<Record<string, string>>): ApplicationError {
  return new ApplicationError('unsupported_media_type', `${message}.`, { headers });
}
