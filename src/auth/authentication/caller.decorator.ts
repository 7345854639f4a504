import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Extensions } from '@nestjs/graphql';
import type { FastifyRequest } from 'fastify';
import { addRouteReads, readIdempotencyKey, setHandlerMetadata } from '#libs/http';
import type { EventMetadata, RequestIdempotency } from '#libs/event-sourcing';
import { formatTraceparent } from '#libs/observability';
import type { Limits, Plan, RecordedBan } from '../domain/api-key.js';
import { UnauthorizedError } from './authentication.hook.js';

/** Who sends a request: the API key of its token. */
export interface Caller {
  readonly keyId: bigint;
  readonly name: string;
  readonly plan: Plan;
  readonly limits: Limits;
  /** The scopes of the key, and those that they include. */
  readonly scopes: readonly string[];
  /** The last recorded ban; a newer one may be on its way to the log. */
  readonly ban: RecordedBan;
  /** The key as an actor in event metadata, such as `api-key-7`. */
  readonly actor: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request is authenticated. */
    caller?: Caller;
  }
}

/**
 * Admits every key with this scope: on a controller or one of its handlers; on a resolver or one of its fields it is needed beside the
 * scope of the whole query schema. A handler's scope replaces that of its class.
 */
export function RequiresScope(scope: string): MethodDecorator & ClassDecorator {
  return setHandlerMetadata({ access: { scope } }, Extensions({ scope }));
}

/** Admits everybody, without a key, within the limits of a client address. On a controller or one of its handlers. */
export function Public(): MethodDecorator & ClassDecorator {
  return setHandlerMetadata({ access: 'public' });
}

/** @throws UnauthorizedError for a request that was not authenticated */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw UnauthorizedError.missing(request.raw.rawHeaders);
  return request.caller;
}

/** A handler's parameter of type `Caller`: who sends the request. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => callerOf(requestOf(context)));

/** A handler's parameter of type `EventMetadata`, for the events that the request causes. */
export const CallerMetadata = createParamDecorator((_: unknown, context: ExecutionContext): EventMetadata => {
  const request = requestOf(context);
  const { trace } = request.context;
  return { actor: callerOf(request).actor, requestId: request.id, ...(trace && { traceparent: formatTraceparent(trace) }) };
});

/**
 * A handler's parameter of type `RequestIdempotency | undefined`: the `Idempotency-Key` of the request. It belongs to the caller and the
 * operation, so the same text at two operations is two keys.
 * @param options `scope: 'caller'`: the key belongs to the caller only
 */
export function IdempotencyKey({ scope }: { readonly scope: 'operation' | 'caller' } = { scope: 'operation' }): ParameterDecorator {
  const read = createParamDecorator((_: unknown, context: ExecutionContext): RequestIdempotency | undefined => {
    const request = requestOf(context);
    const key = readIdempotencyKey(request);
    if (key === undefined) return undefined;
    const { actor } = callerOf(request);
    return { key, scope: scope === 'caller' ? actor : `${actor} ${request.routeOptions.config.operation?.id ?? ''}` };
  });
  return (target, handler, index) => {
    addRouteReads(target, handler, { idempotencyKey: true });
    read()(target, handler, index);
  };
}

function requestOf(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}
