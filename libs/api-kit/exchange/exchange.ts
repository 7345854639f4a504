import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ApplicationError } from '#libs/errors';
import type { Span, SpanContext } from '@opentelemetry/api';
import { readTraceparent } from '#libs/tracing';
import { readRequestTarget } from './request-target.js';

/** What admission needs to know about a request's path and method. */
export interface Resource {
  /** The route template, such as `/v1/pets/:petId`; undefined where no route has the path. */
  readonly template: string | undefined;
  /** As an `Allow` header lists them; empty where no route has the path. */
  readonly allow: string;
  /** What a `PATCH` may be sent as, as an `Accept-Patch` header lists it; undefined where the path has no such method. */
  readonly acceptPatch: string | undefined;
  readonly isProtected: boolean;
  /** A key must have one of these to be let in: the route's own; where no route has path and method, those of its neighbours. */
  readonly scopes: readonly string[];
  /** No hook of admission looks at it. */
  readonly isExempt: boolean;
  /** Bodies are JSON, both ways. */
  readonly isJson: boolean;
  readonly hasParameters: boolean;
  /** Asked all the time by machines, so its requests are in the log at level debug alone. */
  readonly isQuiet: boolean;
}

/** One request on a connection and its answer, from the parsed head on. */
export class Exchange {
  /** When it began to run, in milliseconds of `performance.now()`: it may wait before for others of its connection. */
  startedAt = performance.now();
  /** The request target as it was sent. */
  readonly target: string;
  readonly targetForm: 'path' | 'asterisk' | 'malformed';
  readonly hasBody: boolean;
  request: FastifyRequest | undefined;
  reply: FastifyReply | undefined;
  resource: Resource | undefined;
  /** The scopes of who sends the request, once that is known. */
  scopes: readonly string[] = [];
  /** The form in which the client wants the answer. */
  mediaType = 'application/json';
  /** Whether the answer takes as long as the client or the service likes, and not as long as it takes to be made. */
  isOpenEnded = false;
  /** Whether the request passed admission, so that its body is read. */
  admitted = false;
  /** Told of the content that answers a read with 200, also where it is answered with 304 then. */
  onContent: ((content: string | Buffer) => void) | undefined;
  /** The code of the error that it is answered with. */
  errorCode: string | undefined;
  /** Whom it is refused to, where the log tells that. */
  clientAddress: string | undefined;
  /** Undefined where requests are not traced, and for one that is not. */
  span: Span | undefined;
  /** Ends that span, where there is one that has not ended. */
  endSpan: (() => void) | undefined;
  /** Why the body cannot be used, for the next hook to answer with. */
  defect: ApplicationError | undefined;

  constructor(
    readonly raw: IncomingMessage,
    readonly response: ServerResponse,
  ) {
    this.target = raw.url ?? '';
    this.hasBody = raw.headers['transfer-encoding'] !== undefined || Number(raw.headers['content-length'] ?? 0) > 0;
    const { form, url } = readRequestTarget(raw.method ?? '', this.target);
    this.targetForm = form;
    // The router answers what it cannot decode on its own, before any hook.
    raw.url = form === 'malformed' ? '/' : url;
  }

  /** Where the request stands in a trace: its own span or, where it has none, that of the client that says so. */
  get trace(): SpanContext | undefined {
    return this.span?.spanContext() ?? readTraceparent(this.raw.headers['traceparent']);
  }
}

const awaited = new WeakSet<Exchange>();

/**
 * Answers keep the order of their requests: acts once the exchange's answer is out, or its connection lost. Until then only the
 * first call for an exchange counts, since each piece of what follows it and cannot be parsed leads to one.
 */
export function afterAnswer(exchange: Exchange, act: () => void): void {
  if (exchange.response.closed) {
    act();
  } else if (!awaited.has(exchange)) {
    awaited.add(exchange);
    exchange.response.once('close', act);
  }
}

/** What a line of the log says of the trace of an exchange; undefined where it is in none. */
export function traceMembersOf(exchange: Exchange | undefined): { readonly traceId: string; readonly spanId: string } | undefined {
  const trace = exchange?.trace;
  return trace && { traceId: trace.traceId, spanId: trace.spanId };
}

/** The id of the API key that a request came with, in digits, once it is known; who calls is a matter of the service. */
export function keyIdOf(request: object | undefined): string | undefined {
  const { caller } = (request ?? {}) as { readonly caller?: { readonly keyId: bigint | number | string } };
  return caller?.keyId.toString();
}

declare module 'fastify' {
  interface FastifyRequest {
    exchange: Exchange;
  }
}
