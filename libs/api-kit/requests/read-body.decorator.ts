import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApplicationError } from '#libs/errors';
import { schemaOf, violationsOf } from '#libs/validation';
import type { FastifyRequest } from 'fastify';
import { JsonNumber } from '../json/parse-json.js';
import { valueOfMember } from './read-values.js';
import { addRouteReads, type DescribedBody } from './route-contract.js';

/**
 * A handler's parameter: the members of the body that the rules of a class name, to make a command of. Values are not checked yet, since
 * the command's handler does that for every caller; a member that no rule names is refused, together with all that the rules find.
 */
export function ReadBody(body: DescribedBody): ParameterDecorator {
  const read = createParamDecorator((_: unknown, context: ExecutionContext) =>
    readBodyOf(context.switchToHttp().getRequest<FastifyRequest>(), body),
  );
  return (target, handler, index) => {
    addRouteReads(target, handler, { body });
    read()(target, handler, index);
  };
}

function readBodyOf({ body, routeOptions }: FastifyRequest, described: DescribedBody): Record<string, unknown> {
  return readBody(body, described, Object.keys(routeOptions.config.reads?.path ?? {}));
}

/**
 * @param elsewhere the properties that are read from the path
 * @throws ApplicationError `invalid_request` for a body that is no object or has members that no rule names.
 */
export function readBody(
  body: unknown,
  { type, noun }: Pick<DescribedBody, 'type' | 'noun'>,
  elsewhere: readonly string[] = [],
): Record<string, unknown> {
  const { properties } = schemaOf(type);
  const names = Object.keys(properties).filter((name) => !elsewhere.includes(name));
  if (!isJsonObject(body)) throw new ApplicationError('invalid_request', `The body must be a JSON object with ${names.join(', ')}.`);
  const values = Object.fromEntries(names.map((name) => [name, valueOfMember(ownMember(body, name), properties[name] ?? {})]));
  const unknown = Object.keys(body).filter((name) => !names.includes(name));
  if (unknown.length === 0) return values;
  const input = Object.assign(Object.create(type.prototype as object) as object, values);
  const refusals = unknown.map((name) => `${JSON.stringify(name)} is not a field of ${noun}, which takes ${names.join(', ')}`);
  throw new ApplicationError('invalid_request', [...violationsOf(input), ...refusals].join('; '));
}

function isJsonObject(body: unknown): body is Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && !(body instanceof JsonNumber);
}

function ownMember(body: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(body, name) ? body[name] : undefined;
}
