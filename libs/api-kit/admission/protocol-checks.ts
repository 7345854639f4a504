import type { FastifyRequest } from 'fastify';
import { ApplicationError } from '#libs/errors';
import { headersTooLarge, MAXIMUM_HEAD_BYTES } from '../request/request-head.js';
import { MAXIMUM_TARGET_BYTES } from '../request/request-target.js';
import { singleHeader } from '../request/single-header.js';

const HOST = /^[\w.~!$&'()*+,;=%:[\]-]*$/;
const REQUEST_LINE_REST = '  HTTP/1.1\r\n\r\n'.length;
const HEADER_LINE_REST = ': \r\n'.length;
const CONTINUE = '100-continue';

/** @throws ApplicationError `headers_too_large`. Node's own limit leaves out the separators, so a head may pass it. */
export function checkHeadSize(request: FastifyRequest): void {
  const { method = '', rawHeaders } = request.raw;
  let bytes = method.length + request.context.target.length + REQUEST_LINE_REST;
  for (const part of rawHeaders) bytes += part.length;
  bytes += (rawHeaders.length / 2) * HEADER_LINE_REST;
  if (bytes > MAXIMUM_HEAD_BYTES) throw headersTooLarge();
}

/** @throws ApplicationError `uri_too_long`, or `invalid_request` for a target that is not a valid one. */
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

/** Whether the client waits for a 100 before it sends the body. An expectation of HTTP/1.0 is none (RFC 9110 section 10.1.1). */
export function expectsContinue({ raw }: FastifyRequest): boolean {
  return raw.httpVersion === '1.1' && raw.headers.expect?.trim().toLowerCase() === CONTINUE;
}

/** @throws ApplicationError `expectation_failed` for any expectation but `100-continue`. */
export function checkExpectation(request: FastifyRequest): void {
  if (request.raw.httpVersion !== '1.1' || request.raw.headers.expect === undefined || expectsContinue(request)) return;
  throw new ApplicationError('expectation_failed', `The only expectation that can be met is ${CONTINUE}.`);
}

/** @throws ApplicationError `payload_too_large` for a body announced as larger than the limit. */
export function checkContentLength({ headers }: FastifyRequest, limitBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > limitBytes) throw payloadTooLarge(limitBytes);
}

/** The body is larger than the limit. */
export function payloadTooLarge(limitBytes: number): ApplicationError {
  return new ApplicationError('payload_too_large', `The body must not be over ${limitBytes} bytes.`);
}

/**
 * @throws ApplicationError `invalid_request` for a `Host` that is missing or malformed (RFC 9112 section 3.2),
 * `invalid_parameter` for a `Host` or `Content-Type` that is repeated.
 */
export function checkSingleHeaders(request: FastifyRequest): void {
  const host = singleHeader(request, 'Host');
  if (host === undefined ? request.raw.httpVersion === '1.1' : !HOST.test(host)) {
    throw new ApplicationError('invalid_request', 'The header Host must be sent once, with the host of the service.');
  }
  singleHeader(request, 'Content-Type');
}
