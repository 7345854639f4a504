import type { FastifyRequest } from 'fastify';
import { ApplicationError } from '#libs/errors';
import { stringifyJson } from '../json/stringify-json.js';
import { entityTag, matchesEntityTag, preconditionFailed } from './entity-tag.js';

/**
 * What a request asks of a thing before it is changed. To be called by the handler of the command with the representation that `GET` gives
 * of what is there, loaded for the same append, so that nothing changes between the check and the change.
 * @throws ApplicationError `precondition_failed` with the tag that holds
 */
export type Precondition = (current: object) => void;

/**
 * The precondition of an `If-Match` (RFC 9110 section 13.1.1): one of its tags is, by strong comparison, that of the representation, or it
 * is `*`; and of an `If-None-Match` (section 13.1.2): none of its tags is, by weak comparison, nor is it `*`. Lines of a repeated header
 * are one list, and what is no list of entity tags names none. Undefined without these headers.
 */
export function preconditionOf({ headers }: Pick<FastifyRequest, 'headers'>): Precondition | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  return (current) => {
    const tag = entityTag(stringifyJson(current));
    if (ifMatch !== undefined && !matchesEntityTag(ifMatch, tag, 'strong')) throw preconditionFailed(tag);
    if (ifNoneMatch !== undefined && matchesEntityTag(ifNoneMatch, tag, 'weak')) throw noneMatchFailed({ etag: tag });
  };
}

/**
 * Holds an `If-None-Match: *` against a request that creates something in a collection: the collection is the target routeInfo, and exists.
 * @throws ApplicationError `precondition_failed`
 */
export function checkCreation({ headers, routeOptions }: FastifyRequest): void {
  if (routeOptions.config.reads?.idempotencyKey && headers['if-none-match']?.trim() === '*') throw noneMatchFailed();
}

function noneMatchFailed(headers: Readonly<Record<string, string>> = {}): ApplicationError {
  return new ApplicationError('precondition_failed', 'If-None-Match names what is there; send the request without it.', { headers });
}
