import Negotiator from 'negotiator';
import type { FastifyRequest } from 'fastify';
import { ApplicationError } from '#libs/errors';

const JSON_MEDIA_TYPE = 'application/json';
const REPRESENTATIONS = [JSON_MEDIA_TYPE, `${JSON_MEDIA_TYPE};charset=utf-8`];
const JSON_CONTENT_TYPE = /^application\/json[\t ]*(?:;[\t ]*charset=(?:utf-8|"utf-8")[\t ]*)?$/i;

/** @throws ApplicationError `not_acceptable` when the client does not take JSON (RFC 9110 section 12.5.1). */
export function checkAccept(request: FastifyRequest): void {
  const { accept } = request.headers;
  if (accept === undefined || accept === '' || accept === '*/*' || accept === JSON_MEDIA_TYPE) return;
  if (new Negotiator(request).mediaType(REPRESENTATIONS) !== undefined) return;
  throw new ApplicationError('not_acceptable', `The answer is ${JSON_MEDIA_TYPE}, which the Accept header does not allow.`);
}

/**
 * @throws ApplicationError `unsupported_media_type` when the body is not sent as JSON in UTF-8, not encoded further; its headers name
 * what was wrong alone (RFC 9110 section 15.5.16).
 */
export function checkContentType(request: FastifyRequest): void {
  const { 'content-type': type, 'content-encoding': encoding } = request.headers;
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw unsupported('The body must be sent without a Content-Encoding', { 'accept-encoding': 'identity' });
  }
  if (type === undefined || !JSON_CONTENT_TYPE.test(type)) {
    throw unsupported(`The body must be sent with Content-Type: ${JSON_MEDIA_TYPE}, in UTF-8`, { accept: JSON_MEDIA_TYPE });
  }
}

function unsupported(message: string, headers: Readonly<Record<string, string>>): ApplicationError {
  return new ApplicationError('unsupported_media_type', `${message}.`, { headers });
}
