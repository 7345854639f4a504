import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApplicationError } from '#libs/errors';
import { INT64_MAX, INT64_MIN, parseInt64 } from '#libs/validation';
import type { FastifyRequest } from 'fastify';
import { addRouteReads } from './route-contract.js';

/**
 * A handler's parameter of type bigint: an id in the path.
 * @param name as in the path, such as `petId`
 * @param description what it is, for the document
 */
export function ReadId(name: string, description: string): ParameterDecorator {
  const read = createParamDecorator((_: unknown, context: ExecutionContext) => {
    const { params } = context.switchToHttp().getRequest<FastifyRequest>();
    return readId(name, (params as Readonly<Record<string, string>>)[name] ?? '');
  });
  return (target, handler, index) => {
    addRouteReads(target, handler, { path: { [name]: description } });
    read()(target, handler, index);
  };
}

/** @throws ApplicationError `invalid_parameter` when the text is not an int64 in plain digits. */
export function readId(name: string, text: string): bigint {
  const id = parseInt64(text);
  if (id !== undefined) return id;
  throw new ApplicationError('invalid_parameter', `${name} must be an integer from ${INT64_MIN} to ${INT64_MAX}, written in plain digits.`);
}
