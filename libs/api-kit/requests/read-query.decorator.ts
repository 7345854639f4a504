import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApplicationError } from '#libs/errors';
import { schemaOf, textErrors, validationErrors } from '#libs/validation';
import type { FastifyRequest } from 'fastify';
import { exclusionFaults } from './mutually-exclusive-with.decorator.js';
import { valueOfParameter } from './read-values.js';
import { addRouteReads } from './route-contract.js';

const SHOWN_CHARACTERS = 80;

/** A class for a query: its rules say which parameters there are, its initial values what holds where one is not given. */
export type QueryClass<Input extends object = object> = new () => Input;

/** A handler's parameter: the query as an object of a class, whose rules hold. All mistakes of a query are refused at once. */
export function ReadQuery<Input extends object>(type: QueryClass<Input>): ParameterDecorator {
  const read = createParamDecorator((_: unknown, context: ExecutionContext) =>
    readQuery(context.switchToHttp().getRequest<FastifyRequest>().query, type),
  );
  return (target, handler, index) => {
    addRouteReads(target, handler, { query: type });
    read()(target, handler, index);
  };
}

/** @throws ApplicationError `invalid_parameter` that names every parameter which is unknown, repeated or breaks its rules. */
export function readQuery<Input extends object>(query: unknown, type: QueryClass<Input>): Input {
  const { properties } = schemaOf(type);
  const { texts, faults } = singleTexts(query, Object.keys(properties));
  const values = Object.entries(texts).map(([name, text]) => [name, valueOfParameter(text, properties[name] ?? {})]);
  const input: Input = Object.assign(new type(), Object.fromEntries(values) as object);
  // One mistake a parameter: one that could not be read is not missing too.
  const read = Object.keys(properties).filter((name) => texts[name] !== undefined || !Object.hasOwn(query ?? {}, name));
  refuse([...validationErrors(input, new Set(read)), ...exclusionFaults(type, Object.keys(texts)), ...faults]);
  return input;
}

/**
 * The parameters of a query as they were written, for what has no rules.
 * @throws ApplicationError `invalid_parameter` that names every parameter which is unknown, repeated or cannot be stored.
 */
export function readTexts<Name extends string>(query: unknown, names: readonly Name[]): Readonly<Partial<Record<Name, string>>> {
  const { texts, faults } = singleTexts(query, names);
  refuse(faults);
  return texts as Partial<Record<Name, string>>;
}

function singleTexts(
  query: unknown,
  names: readonly string[],
): { readonly texts: Readonly<Record<string, string>>; readonly faults: string[] } {
  const texts: Record<string, string> = {};
  const faults: string[] = [];
  for (const [name, value] of Object.entries(query ?? {}) as [string, unknown][]) {
    const faultsOfText = textErrors(name, value);
    if (!names.includes(name)) faults.push(unknownParameter(name, names));
    else if (typeof value !== 'string') faults.push(`The query parameter ${name} is repeated; give it once`);
    else if (faultsOfText.length === 0) texts[name] = value;
    else faults.push(...faultsOfText);
  }
  return { texts, faults };
}

function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new ApplicationError('invalid_parameter', `${faults.join('; ')}.`);
}

function unknownParameter(name: string, names: readonly string[]): string {
  const shown = JSON.stringify(name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name);
  return `${shown} is not a query parameter of this operation, which takes ${names.length === 0 ? 'none' : names.join(', ')}`;
}
