import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApplicationError, maskSecrets, readTraceparent } from '#libs/observability';
import type { Span, SpanContext } from '@opentelemetry/api';

/** Limit of the head, from the method to the empty line. */
export const MAXIMUM_HEAD_BYTES = 16_384;
export const MAXIMUM_TARGET_BYTES = 8_192;

/** A request target in origin form that needs no decoding: almost all of them. */
const PLAIN = /^\/[\x21\x22\x24\x26-\x7e]*$/;
const VISIBLE_ASCII = /^[\x21\x22\x24-\x7e]*$/;
const ABSOLUTE = /^https?:\/\/[^/?]+/i;
const CHUNKED = 'chunked';
const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext;
  }
}

/** What admission needs to know about the path and method of a request. */
export interface RouteInfo {
  /** Method and template, such as `GET /v1/pets/:petId`. */
  readonly name: string;
  /** The route template, such as `/v1/pets/:petId`; undefined if no route has the path. */
  readonly template: string | undefined;
  /** The value of `Allow`; empty if no route has the path. */
  readonly allow: string;
  /** The media types of its body. */
  readonly mediaTypes: readonly string[];
  /** The value of `Accept-Patch`; undefined if the path has no `PATCH`. */
  readonly acceptPatch: string | undefined;
  readonly isProtected: boolean;
  /** A key needs one of these: the scopes of the route; if no route has path and method, those of its neighbours. */
  readonly scopes: readonly string[];
  /** Any valid key is enough, whatever its scopes. */
  readonly takesAnyKey: boolean;
  /** No hook of admission runs. */
  readonly isExempt: boolean;
  /** Bodies are JSON, both ways. */
  readonly isJson: boolean;
  readonly hasParameters: boolean;
  /** Requested all the time by machines, so it is logged at level debug. */
  readonly isQuiet: boolean;
}

/** The state of one request, from its parsed head to the end of its response. */
export class RequestContext {
  /** When it began to run, in milliseconds of `performance.now()`: it may wait before for others of its connection. */
  startedAt = performance.now();
  /** The request target as it was sent. */
  readonly target: string;
  readonly targetForm: TargetForm;
  readonly hasBody: boolean;
  request: FastifyRequest | undefined;
  reply: FastifyReply | undefined;
  routeInfo: RouteInfo | undefined;
  /** The scopes of the caller, once known. */
  scopes: readonly string[] = [];
  /** The negotiated media type of the response. */
  mediaType = 'application/json';
  /** Whether the response lasts as long as client or service like, so that its duration says nothing. */
  isOpenEnded = false;
  /** Whether the request passed admission, so that its body is read. */
  admitted = false;
  /** Called with the 200 body of a read, even if a 304 is sent. */
  onContent: ((content: string | Buffer) => void) | undefined;
  /** The code of the error of the response. */
  errorCode: string | undefined;
  /** The client's address, if the log is to tell it. */
  clientAddress: string | undefined;
  /** Undefined if the request is not traced. */
  span: Span | undefined;
  /** Ends the span; undefined if there is none or it has ended. */
  endSpan: (() => void) | undefined;
  /** Why the body cannot be used; the next hook throws it. */
  defect: ApplicationError | undefined;

  constructor(
    readonly raw: IncomingMessage,
    readonly response: ServerResponse,
  ) {
    this.target = raw.url ?? '';
    this.hasBody = raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > 0;
    const { form, url } = readRequestTarget(raw.method ?? '', this.target);
    this.targetForm = form;
    // The router itself refuses a target that it cannot decode, before any hook.
    raw.url = form === 'malformed' ? '/' : url;
  }

  /** The place of the request in a trace: its own span or, without one, the client's. */
  get trace(): SpanContext | undefined {
    return this.span?.spanContext() ?? readTraceparent(this.raw.headers['traceparent']);
  }
}

/** Returns the request's id: the client's `X-Request-Id` if it is sane and contains no secret, else a new UUID. */
export function getRequestId(raw: Pick<IncomingMessage, 'headers'>): string {
  const given = raw.headers['x-request-id'];
  return typeof given === 'string' && SANE_REQUEST_ID.test(given) && maskSecrets(given) === given ? given : randomUUID();
}

/** Returns the trace members of a log line about a request; undefined if it is in no trace. */
export function getTraceMembers(context: RequestContext | undefined): { readonly traceId: string; readonly spanId: string } | undefined {
  const trace = context?.trace;
  return trace && { traceId: trace.traceId, spanId: trace.spanId };
}

/** Returns the id of the API key of a request, in digits, once the service knows its caller. */
export function getKeyId(request: object | undefined): string | undefined {
  const { caller } = (request ?? {}) as { readonly caller?: { readonly keyId: bigint | number | string } };
  return caller?.keyId.toString();
}

/** `asterisk` is `OPTIONS *`; `malformed` is none of the forms of RFC 9112 section 3.2, or broken percent-encoding. */
type TargetForm = 'path' | 'asterisk' | 'malformed';

/** Returns the form of a request target (not of `CONNECT`), and the target in origin form. */
export function readRequestTarget(method: string, target: string): { readonly form: TargetForm; readonly url: string } {
  if (PLAIN.test(target)) return { form: 'path', url: target };
  if (target === '*' && method === 'OPTIONS') return { form: 'asterisk', url: '/' };
  const url = toOriginForm(target);
  return { form: url.startsWith('/') && VISIBLE_ASCII.test(url) && isDecodable(url) ? 'path' : 'malformed', url };
}

/** Returns the path of a target, its percent-encoded ASCII decoded except for the slash; never fails. */
export function decodedPath(target: string): string {
  const url = toOriginForm(target);
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  return path.replaceAll(/%(?!2f)([0-7][0-9a-f])/gi, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function toOriginForm(target: string): string {
  const origin = ABSOLUTE.exec(target)?.[0];
  if (origin === undefined || !URL.canParse(target)) return target;
  const rest = target.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

/** The head of the request is over `MAXIMUM_HEAD_BYTES`. */
export function headersTooLarge(): ApplicationError {
  return new ApplicationError('headers_too_large', `The head of the request must not be over ${MAXIMUM_HEAD_BYTES} bytes.`);
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
