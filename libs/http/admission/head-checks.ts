import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { ApplicationError } from '#libs/observability';
import { MAXIMUM_TARGET_BYTES } from '../request/request-context.js';
import { JSON_MEDIA_TYPE, mediaTypesOf } from '../routes/route-metadata.js';

/** Limit of the head, from the method to the empty line. */
export const MAXIMUM_HEAD_BYTES = 16_384;

const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;
const UTF_8_CONTENT_TYPE = /^([^\t ;]+)[\t ]*(?:;[\t ]*charset=(?:utf-8|"utf-8")[\t ]*)?$/i;
const REQUEST_LINE_REST = '  HTTP/1.1\r\n\r\n'.length;
const HEADER_LINE_REST = ': \r\n'.length;
const CONTINUE = '100-continue';
const CHUNKED = 'chunked';

/** The head of the request is over `MAXIMUM_HEAD_BYTES`. */
export function headersTooLarge(): ApplicationError {
  return new ApplicationError('headers_too_large', `The head of the request must not be over ${MAXIMUM_HEAD_BYTES} bytes.`);
}

/** The body is over the limit. */
export function payloadTooLarge(limitBytes: number): ApplicationError {
  return new ApplicationError('payload_too_large', `The body must not be over ${limitBytes} bytes.`);
}

/** The request line names a version of HTTP other than 1.0 and 1.1 (RFC 9110 section 15.6.6). */
export function versionNotSupported(): ApplicationError {
  return new ApplicationError('http_version_not_supported', 'This version of HTTP is not supported; send the request as HTTP/1.1.');
}

/**
 * Returns why a request with a parsed head cannot be read: its version of HTTP is not supported, or the end or the coding of its body is
 * not known (RFC 9112 sections 6.1 and 6.3). Undefined if it can.
 */
export function framingError({ httpVersionMajor, httpVersion, headers }: IncomingMessage): ApplicationError | undefined {
  if (httpVersionMajor === 0) return new ApplicationError('invalid_request', 'The request line must end in HTTP/1.1.');
  if (httpVersionMajor !== 1) return versionNotSupported();
  const transferEncoding = headers['transfer-encoding']?.toLowerCase();
  if (transferEncoding === undefined || (transferEncoding === CHUNKED && httpVersion === '1.1')) return undefined;
  const codings = transferEncoding.split(/[\t ]*,[\t ]*/).filter((coding) => coding !== '');
  if (httpVersion === '1.0' || codings.length === 0 || codings.indexOf(CHUNKED) !== codings.length - 1) {
    return new ApplicationError(
      'invalid_request',
      'Transfer-Encoding must be chunked, once and last, over HTTP/1.1; else send Content-Length.',
    );
  }
  if (codings.length === 1) return undefined;
  return new ApplicationError('not_implemented', 'The body must be sent without a Transfer-Encoding other than chunked.');
}

/** @throws ApplicationError `headers_too_large`. Node's own limit does not count separators, so a head may pass it. */
export function checkHeadSize(request: FastifyRequest): void {
  const { method = '', rawHeaders } = request.raw;
  let bytes = method.length + request.context.target.length + REQUEST_LINE_REST;
  for (const part of rawHeaders) bytes += part.length;
  bytes += (rawHeaders.length / 2) * HEADER_LINE_REST;
  if (bytes > MAXIMUM_HEAD_BYTES) throw headersTooLarge();
}

/** @throws ApplicationError `uri_too_long`, or `invalid_request` for a malformed target. */
export function checkTarget({ context }: FastifyRequest): void {
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
export function expectsContinue({ raw }: FastifyRequest): boolean {
  return raw.httpVersion === '1.1' && raw.headers.expect?.trim().toLowerCase() === CONTINUE;
}

/** @throws ApplicationError `expectation_failed` for any expectation except `100-continue`. */
export function checkExpectation(request: FastifyRequest): void {
  if (request.raw.httpVersion !== '1.1' || request.raw.headers.expect === undefined || expectsContinue(request)) return;
  throw new ApplicationError('expectation_failed', `The only expectation that can be met is ${CONTINUE}.`);
}

/** @throws ApplicationError `payload_too_large` for a `Content-Length` over the limit. */
export function checkContentLength({ headers }: FastifyRequest, limitBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > limitBytes) throw payloadTooLarge(limitBytes);
}

/**
 * @throws ApplicationError `invalid_request` for a `Host` that is missing or malformed (RFC 9112 section 3.2),
 * `invalid_parameter` for a repeated `Host` or `Content-Type`.
 */
export function checkSingleHeaders(request: FastifyRequest): void {
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
    if (value !== undefined) throw new ApplicationError('invalid_parameter', `The header ${name} is repeated; send it once.`);
    value = rawHeaders[index + 1];
  }
  return value;
}

/**
 * Chooses the media type of the response (RFC 9110 section 12.5.1): JSON, unless the client prefers another one of the route.
 * @throws ApplicationError `not_acceptable` if the client accepts none of them.
 */
export function checkAccept(request: FastifyRequest): void {
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
export function checkContentType({ method, headers, routeOptions }: FastifyRequest): void {
  const { 'content-type': type = '', 'content-encoding': encoding } = headers;
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw unsupported('The body must be sent without a Content-Encoding', { 'accept-encoding': 'identity' });
  }
  const mediaTypes = mediaTypesOf(routeOptions.config.reads?.body);
  const sent = UTF_8_CONTENT_TYPE.exec(type)?.[1]?.toLowerCase();
  if (sent !== undefined && mediaTypes.includes(sent)) return;
  const accept = mediaTypes.join(', ');
  const message = `The body must be sent with Content-Type: ${mediaTypes.join(' or ')}, in UTF-8`;
  throw unsupported(message, { accept, ...(method === 'PATCH' && { 'accept-patch': accept }) });
}

function unsupported(message: string, headers: Readonly<Record<string, string>>): ApplicationError {
  return new ApplicationError('unsupported_media_type', `${message}.`, { headers });
}
