import type { FastifyReply, FastifyRequest } from 'fastify';
import { keyIdOf } from '../request/request-context.js';
import { nextPageLinkOf, readsPage } from '../pagination/page-request.js';
import { entityTag, matchesEntityTag, preconditionFailed } from './entity-tag.js';

type Done = (error: Error | null, payload?: unknown) => void;

/**
 * An `onSend` hook: gives the 200 answers to reads that are protected or JSON an `ETag`, unless they have one. An `If-Match` that does not name it is
 * refused with 412, and after that an `If-None-Match` that names it answered with 304 (RFC 9110 section 13.2.2), which keeps all
 * other headers but those of the content. A write whose answer is described as tagged has the `ETag` that a `GET` of it would have.
 */
export function answerConditionally(request: FastifyRequest, reply: FastifyReply, payload: unknown, done: Done): void {
  if (isContent(payload)) {
    if (isTaggedRead(request, reply)) {
      answerRead(request, reply, { content: payload, done });
      return;
    }
    if (isTaggedWrite(request, reply)) reply.header('etag', entityTag(payload));
  }
  done(null);
}

function answerRead(
  request: FastifyRequest,
  reply: FastifyReply,
  { content, done }: { readonly content: string | Buffer; readonly done: Done },
): void {
  const tag = tagOf(request, reply, content);
  request.context.onContent?.(content);
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = request.headers;
  if (ifMatch !== undefined && !matchesEntityTag(ifMatch, tag, 'strong')) {
    done(preconditionFailed(tag));
    return;
  }
  if (ifNoneMatch === undefined || !matchesEntityTag(ifNoneMatch, tag, 'weak')) {
    done(null);
    return;
  }
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  // Fastify itself takes the content from the answer to HEAD, and needs it for that.
  done(null, request.method === 'HEAD' ? content : null);
}

function isTaggedRead({ method, context }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return (
    statusCode === 200 &&
    (method === 'GET' || method === 'HEAD') &&
    (context.routeInfo?.isProtected === true || context.routeInfo?.isJson === true)
  );
}

function isTaggedWrite({ routeOptions: { config } }: FastifyRequest, { statusCode }: FastifyReply): boolean {
  return config.operation?.answer.tagged === true && statusCode < 300;
}

function isContent(payload: unknown): payload is string | Buffer {
  return typeof payload === 'string' || Buffer.isBuffer(payload);
}

function tagOf(request: FastifyRequest, reply: FastifyReply, content: string | Buffer): string {
  const given = reply.getHeader('etag');
  if (typeof given === 'string') return given;
  const tag = entityTag(content, nextPageLinkOf(reply), ownerOfPage(request));
  reply.header('etag', tag);
  return tag;
}

/** The id of the key that a page is made for, so that no other key's page has its tag; undefined for what all keys see alike. */
function ownerOfPage(request: FastifyRequest): string | undefined {
  const { cached, reads } = request.routeOptions.config;
  return cached?.perKey && readsPage(reads) ? keyIdOf(request) : undefined;
}
