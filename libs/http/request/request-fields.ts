import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Span, SpanContext } from '@opentelemetry/api';
import { maskSecrets, readTraceparent, type ApplicationError } from '#libs/observability';
import type { RouteInfo } from '../admission/route-table.js';

const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

declare module 'fastify' {
  interface FastifyRequest {
    /** When it began to run, in milliseconds of `performance.now()`: it may wait before for others of its connection. */
    startedAt: number;
    route: RouteInfo;
    /** The scopes of the caller, once known. */
    scopes: readonly string[] | undefined;
    /** The negotiated media type of the response. */
    responseMediaType: string;
    /** Whether the request passed admission, so that its body is read. */
    isAdmitted: boolean;
    /** Whether the load shedder counts it. */
    isInProgress: boolean;
    /** A stream or long poll: its duration is not measured. */
    isOpenEnded: boolean;
    /** Why the body cannot be read to its end. */
    bodyError: ApplicationError | undefined;
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
  }
}

const INITIAL = {
  ...{ startedAt: 0, route: undefined, scopes: undefined, responseMediaType: 'application/json' },
  ...{ isAdmitted: false, isInProgress: false, isOpenEnded: false, bodyError: undefined, onContent: undefined },
  ...{ errorCode: undefined, clientAddress: undefined, span: undefined, endSpan: undefined },
};

/** Declares the fields that the hooks of the service set on a request. */
export function decorateRequests(instance: FastifyInstance): void {
  for (const [name, value] of Object.entries<unknown>(INITIAL)) instance.decorateRequest(name, value);
}

/** Whether the head of a request announces a body. */
export function hasBody({ raw: { headers } }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Returns the request's id: the client's `X-Request-Id` if it is sane and contains no secret, else a new UUID. */
export function getRequestId(raw: Pick<IncomingMessage, 'headers'>): string {
  const given = raw.headers['x-request-id'];
  return typeof given === 'string' && SANE_REQUEST_ID.test(given) && maskSecrets(given) === given ? given : randomUUID();
}

/** Returns the place of a request in a trace: its own span or, without one, the client's. */
export function getTrace({ span, raw }: FastifyRequest): SpanContext | undefined {
  return span?.spanContext() ?? readTraceparent(raw.headers['traceparent']);
}

/** Returns the trace members of a log line about a request; undefined if it is in no trace. */
export function getTraceMembers(request: FastifyRequest): { readonly traceId: string; readonly spanId: string } | undefined {
  const trace = getTrace(request);
  return trace && { traceId: trace.traceId, spanId: trace.spanId };
}

/** Returns the id of the API key of a request, in digits, once the service knows its caller. */
export function getKeyId(request: object): string | undefined {
  const { caller } = request as { readonly caller?: { readonly keyId: bigint | number | string } };
  return caller?.keyId.toString();
}
