import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { preconditionOf } from './conditional-writes.js';
import { addRouteReads } from '../requests/route-contract.js';

/** A handler's parameter of type `Precondition | undefined`: the `If-Match` and `If-None-Match` of a write, for the command to hold against what it changes. */
export function IfMatch(): ParameterDecorator {
  const read = createParamDecorator((_: unknown, context: ExecutionContext) =>
    preconditionOf(context.switchToHttp().getRequest<FastifyRequest>()),
  );
  return (target, handler, index) => {
    addRouteReads(target, handler, { precondition: true });
    read()(target, handler, index);
  };
}
