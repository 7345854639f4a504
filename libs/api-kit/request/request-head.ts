import type { IncomingMessage } from 'node:http';
import { ApplicationError } from '#libs/errors';

/** From the method to the empty line. */
export const MAXIMUM_HEAD_BYTES = 16_384;
const CHUNKED = 'chunked';

/** The head of the request is over `MAXIMUM_HEAD_BYTES`. */
export function headersTooLarge(): ApplicationError {
  return new ApplicationError('headers_too_large', `The head of the request must not be over ${MAXIMUM_HEAD_BYTES} bytes.`);
}

/**
 * Why a request whose head was parsed cannot be read all the same: its version of HTTP is not spoken here, or where its body ends
 * cannot be told, or not what is in it. Undefined for one that can.
 */
export function refusalOfHead({ httpVersionMajor, httpVersion, headers }: IncomingMessage): ApplicationError | undefined {
  if (httpVersionMajor === 0) return new ApplicationError('invalid_request', 'The request line must end in HTTP/1.1.');
  if (httpVersionMajor !== 1) return versionNotSupported();
  const transferEncoding = headers['transfer-encoding'];
  return transferEncoding === undefined ? undefined : refusalOfCodings(transferEncoding, httpVersion);
}

/** The request line names a version of HTTP other than 1.0 and 1.1 (RFC 9110 section 15.6.6). */
export function versionNotSupported(): ApplicationError {
  return new ApplicationError('http_version_not_supported', 'This version of HTTP is not spoken here; send the request as HTTP/1.1.');
}

/** RFC 9112 section 6.1 for HTTP/1.0 and for codings that are not known, section 6.3 for a body that does not end in `chunked`. */
function refusalOfCodings(transferEncoding: string, httpVersion: string): ApplicationError | undefined {
  const codings = transferEncoding
    .split(',')
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== '');
  if (httpVersion === '1.0' || codings.length === 0 || codings.indexOf(CHUNKED) !== codings.length - 1) {
    return new ApplicationError(
      'invalid_request',
      'Transfer-Encoding must be chunked, once and last, over HTTP/1.1; else send Content-Length.',
    );
  }
  return codings.length === 1
    ? undefined
    : new ApplicationError('not_implemented', 'The body must be sent without a Transfer-Encoding other than chunked.');
}
