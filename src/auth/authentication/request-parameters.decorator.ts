import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { addRouteReads, readIdempotencyKey } from '#libs/api-kit';
import type { EventMetadata, RequestIdempotency } from '#libs/event-store';
import { formatTraceparent } from '#libs/tracing';
import type { FastifyRequest } from 'fastify';
import { callerOf, type Caller } from './caller.js';

/** A handler's parameter of type `Caller`: who sends the request. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => callerOf(requestOf(context)));

/** A handler's parameter of type `EventMetadata`: what the events that the request causes tell of it. */
export const CallerMetadata = createParamDecorator((_: unknown, context: ExecutionContext): EventMetadata => {
  const request = requestOf(context);
  const { trace } = request.context;
  return { actor: callerOf(request).actor, requestId: request.id, ...(trace && { traceparent: formatTraceparent(trace) }) };
});

/**
 * A handler's parameter of type `RequestIdempotency | undefined`: the `Idempotency-Key` of the request. It belongs to the caller and the
 * operation, so that one text at two operations is two keys.
 * @param options `scope: 'caller'`: the key belongs to the caller alone
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
