import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApplicationError, invalidParameter } from '#libs/observability';
import { stringifyJson } from '../json/json.js';
import { readsPage } from '../pagination/pages.js';
import { getKeyId } from '../request/request-fields.js';

/** The grammar of a list (RFC 9110 section 5.6.1): elements may be empty. */
const LIST = /^(?:[\t ]*(?:(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"[\t ]*)?(?:,|$))+$/;
/** An entity tag, and its opaque part, the only one that weak comparison looks at. */
const ENTITY_TAG = /(?:W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;
const TAG_CHARACTERS = 22;

/**
 * Checks a thing before it is changed. The handler of the command calls it with the representation that `GET` gives of the thing, loaded
 * for the same append, so that nothing changes between check and change.
 * @throws ApplicationError `precondition_failed` with the current tag
 */
export type Precondition = (current: object) => void;

/**
 * Returns the precondition of an `If-Match` (RFC 9110 section 13.1.1, strong comparison) and an `If-None-Match` (section 13.1.2, weak
 * comparison); undefined without these headers. Lines of a repeated header are one list; an `If-None-Match` that is no list names no tag.
 */
export function readPrecondition({ headers }: Pick<FastifyRequest, 'headers'>): Precondition | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  return (current) => {
    const tag = representationTag(current);
    if (ifMatch !== undefined && !matchesEntityTag(ifMatch, tag, 'strong')) throw matchFailed(tag);
    if (ifNoneMatch !== undefined && matchesEntityTag(ifNoneMatch, tag, 'weak')) throw noneMatchFailed({ etag: tag });
  };
}

/**
 * Refuses `If-None-Match: *` for a request that creates something in a collection: the collection is the target resource, and exists.
 * @throws ApplicationError `precondition_failed`
 */
export function checkCreation({ headers, routeOptions }: FastifyRequest): void {
  if (routeOptions.config.reads?.idempotencyKey && headers['if-none-match']?.trim() === '*') throw noneMatchFailed();
}

/**
 * Refuses an `If-Match` that is no list of entity tags, such as a tag without its quotes.
 * @throws InvalidValuesError `invalid_parameter`
 */
export function checkIfMatch({ headers: { 'if-match': ifMatch } }: FastifyRequest): void {
  if (ifMatch === undefined || ifMatch.trim() === '*' || LIST.test(ifMatch)) return;
  const message = 'If-Match must be an ETag as it was received, with its quotes, such as "a1b2c3", several of them with commas, or *';
  throw invalidParameter('If-Match', 'entityTag', message);
}

type Done = (error: Error | null, payload?: unknown) => void;

/**
 * An `onSend` hook. Gives the 200 response to a protected or JSON read an `ETag`, unless it has one. Responds with 412 to an `If-Match`
 * that does not name it, then with 304 to an `If-None-Match` that does (RFC 9110 section 13.2.2), with all headers except those of the
 * content. The response to a write gets the `ETag` of a `GET` if its operation is described as tagged.
 */
export function respondConditionally(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  const { method, route, routeOptions, headers } = request;
  const { statusCode } = reply;
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) {
    done(null);
    return;
  }
  const isRead = statusCode === 200 && (method === 'GET' || method === 'HEAD');
  if (!isRead || !(route.isProtected || route.isJson)) {
    if (routeOptions.config.operation?.answer.tagged && statusCode < 300) reply.header('etag', entityTag(payload));
    done(null);
    return;
  }
  const tag = addTag(request, reply, payload);
  request.onContent?.(payload);
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  if (ifMatch !== undefined && !matchesEntityTag(ifMatch, tag, 'strong')) {
    done(matchFailed(tag));
  } else if (ifNoneMatch !== undefined && matchesEntityTag(ifNoneMatch, tag, 'weak')) {
    reply.code(304).removeHeader('content-type').removeHeader('content-length');
    // Fastify itself removes the content from a response to HEAD, and needs it for that.
    done(null, method === 'HEAD' ? payload : null);
  } else {
    done(null);
  }
}

/**
 * Gives a response the tag of a representation instead of that of its content, such as the tag of the only item of a list, so that it can be
 * sent as `If-Match` of a change of the item.
 */
export function setEntityTag(reply: FastifyReply, representation: object): void {
  reply.header('etag', representationTag(representation));
}

function representationTag(representation: object): string {
  return entityTag(stringifyJson(representation));
}

function addTag(request: FastifyRequest, reply: FastifyReply, content: string | Buffer): string {
  const given = reply.getHeader('etag');
  if (typeof given === 'string') return given;
  const { cached, reads } = request.routeOptions.config;
  // So that the tag of a page for one key never holds for another key.
  const owner = cached?.perKey && readsPage(reads) ? getKeyId(request) : undefined;
  const link = reply.getHeader('link')?.toString();
  // With another link the tag is that of the content, so that a change may name it in `If-Match`.
  const next = link?.includes('rel="next"') ? link : undefined;
  const tag = entityTag(content, next, owner, reply.getHeader('x-total-count')?.toString());
  reply.header('etag', tag);
  return tag;
}

/**
 * Returns a strong entity tag (RFC 9110 section 8.8.3) that changes with the content.
 * @param further parts that it changes with too; if all of them are undefined, the tag is that of the content
 */
export function entityTag(content: string | Uint8Array, ...further: readonly (string | undefined)[]): string {
  const digest = hash('sha256', content, 'base64url');
  const isOfContent = further.every((part) => part === undefined);
  const whole = isOfContent ? digest : hash('sha256', JSON.stringify([digest, ...further]), 'base64url');
  return `"${whole.slice(0, TAG_CHARACTERS)}"`;
}

/** Whether a list of entity tags, or `*`, names a strong entity tag (RFC 9110 section 8.8.3.2). */
export function matchesEntityTag(condition: string, tag: string, comparison: 'strong' | 'weak'): boolean {
  if (condition === tag || condition.trim() === '*') return true;
  if (!LIST.test(condition)) return false;
  for (const [whole, opaque] of condition.matchAll(ENTITY_TAG)) {
    if ((comparison === 'strong' ? whole : opaque) === tag) return true;
  }
  return false;
}

function matchFailed(tag: string): ApplicationError {
  const message = 'If-Match does not name the current entity tag: that is in the header ETag of this response.';
  return new ApplicationError('precondition_failed', message, { headers: { etag: tag } });
}

function noneMatchFailed(headers: Readonly<Record<string, string>> = {}): ApplicationError {
  return new ApplicationError('precondition_failed', 'If-None-Match names what is there; send the request without it.', { headers });
}
