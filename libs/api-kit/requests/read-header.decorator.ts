import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { singleHeader } from '../request/single-header.js';
import { addRouteReads } from './route-contract.js';

/**
 * A handler's parameter of type `string | undefined`: a header of the request as it was sent. One that is repeated is refused.
 * @param description what it is, for the document
 */
export function ReadHeader(name: string, description: string): ParameterDecorator {
  const read = createParamDecorator((_: unknown, context: ExecutionContext) =>
    singleHeader(context.switchToHttp().getRequest<FastifyRequest>(), name),
  );
  return (target, handler, index) => {
    addRouteReads(target, handler, { headers: { [name]: description } });
    read()(target, handler, index);
  };
}
