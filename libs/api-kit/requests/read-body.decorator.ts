import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApplicationError } from '#libs/errors';
import { validationErrors } from '#libs/validation';
import type { FastifyRequest } from 'fastify';
import { JsonNumber } from '../json/parse-json.js';
import { valueOfMember } from './read-values.js';
import { addRouteReads, membersOf, type DescribedBody } from './route-contract.js';

/**
 * A handler's parameter: the members of the body that the rules of a class name, to make a command of. Values are not checked yet, since
 * the command's handler does that for every caller; a member that no rule names is refused, together with all that the rules find.
 */
export function ReadBody(body: DescribedBody): ParameterDecorator {
  const read = bodyReader(body);
  const values = createParamDecorator((_: unknown, context: ExecutionContext) =>
    read(context.switchToHttp().getRequest<FastifyRequest>().body),
  );
  return (target, handler, index) => {
    addRouteReads(target, handler, { body });
    values()(target, handler, index);
  };
}

/**
 * The values of a body's members by their names.
 * @throws ApplicationError `invalid_request` for a body that is no object or has members that no rule names.
 */
export type BodyReader = (body: unknown) => Record<string, unknown>;

/** @throws TypeError where `without` names what is no property of the class */
export function bodyReader(described: Pick<DescribedBody, 'type' | 'without' | 'noun' | 'optional'>): BodyReader {
  const { type, noun, optional } = described;
  const members = membersOf(described);
  const names = new Set(members.map(([name]) => name));
  const listed = [...names].join(', ') || 'none';
  const right = `The body must be a JSON object with ${names.size === 0 ? 'no fields' : listed}${optional ? ', or be left out' : ''}.`;
  return (given) => {
    const body = given === undefined && optional ? {} : given;
    if (!isJsonObject(body)) throw new ApplicationError('invalid_request', right);
    const values: Record<string, unknown> = {};
    for (const [name, schema] of members) values[name] = valueOfMember(ownMember(body, name), schema);
    const unknown = Object.keys(body).filter((name) => !names.has(name));
    if (unknown.length === 0) return values;
    const input = Object.assign(Object.create(type.prototype as object) as object, values);
    const refusals = unknown.map((name) => `${JSON.stringify(name)} is not a field of ${noun}, which takes ${listed}`);
    throw new ApplicationError('invalid_request', [...validationErrors(input, names), ...refusals].join('; '));
  };
}

function isJsonObject(body: unknown): body is Readonly<Record<string, unknown>> {
  return typeof body === 'object' && body !== null && !Array.isArray(body) && !(body instanceof JsonNumber);
}

function ownMember(body: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(body, name) ? body[name] : undefined;
}
