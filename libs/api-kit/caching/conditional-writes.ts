import type { FastifyRequest } from 'fastify';
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
 * is `*`. Lines of a repeated header are one list, and what is no list of entity tags is never met. Undefined without the header.
 */
export function preconditionOf({ headers: { 'if-match': ifMatch } }: Pick<FastifyRequest, 'headers'>): Precondition | undefined {
  if (ifMatch === undefined) return undefined;
  return (current) => {
    const tag = entityTag(stringifyJson(current));
    if (!matchesEntityTag(ifMatch, tag, 'strong')) throw preconditionFailed(tag);
  };
}
