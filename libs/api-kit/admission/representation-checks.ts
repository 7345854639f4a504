import Negotiator from 'negotiator';
import type { FastifyRequest } from 'fastify';
import { ApplicationError } from '#libs/errors';
import { JSON_MEDIA_TYPE, mediaTypesOf } from '../requests/route-contract.js';

const UTF_8_CONTENT_TYPE = /^([^\t ;]+)[\t ]*(?:;[\t ]*charset=(?:utf-8|"utf-8")[\t ]*)?$/i;

/**
 * Chooses the form of the answer (RFC 9110 section 12.5.1): JSON, unless the route has another that the client likes better.
 * @throws ApplicationError `not_acceptable` when the client takes none of them.
 */
export function checkAccept(request: FastifyRequest): void {
  const { accept } = request.headers;
  if (accept === undefined || accept === '' || accept === '*/*' || accept === JSON_MEDIA_TYPE) return;
  const offered = representationsOf(request);
  const chosen = new Negotiator(request).mediaType(offered.flatMap((mediaType) => [mediaType, `${mediaType};charset=utf-8`]));
  if (chosen === undefined) {
    throw new ApplicationError('not_acceptable', `The answer is ${offered.join(' or ')}, which the Accept header does not allow.`);
  }
  request.context.mediaType = chosen.replace(/;.*$/, '');
}

/** What a route can answer with, the one first that is given where the client has no wish. */
function representationsOf({ routeOptions }: FastifyRequest): readonly string[] {
  return [JSON_MEDIA_TYPE, ...Object.keys(routeOptions.config.operation?.answer.representations ?? {})];
}

/**
 * @throws ApplicationError `unsupported_media_type` when the body is not sent as what the route takes, in UTF-8, not encoded further; its
 * headers name what was wrong alone (RFC 9110 section 15.5.16), with `Accept-Patch` for a `PATCH` (RFC 5789 section 2.2).
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
