import type { FastifyRequest } from 'fastify';
import { ApplicationError } from '#libs/errors';

const SHOWN_CHARACTERS = 80;

/**
 * The query parameters of a request, decoded. Each of `names` may be given once, others not at all.
 * @throws ApplicationError `invalid_parameter` naming the unknown or repeated parameter.
 */
export function readQuery<Name extends string>(
  request: Pick<FastifyRequest, 'query'>,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const parameters: Partial<Record<Name, string>> = {};
  for (const [given, value] of Object.entries(request.query ?? {})) {
    const name = names.find((allowed) => allowed === given);
    if (name === undefined) {
      throw new ApplicationError('invalid_parameter', `${shown(given)} is not a query parameter of this operation${hint(names)}.`);
    }
    if (typeof value !== 'string') {
      throw new ApplicationError('invalid_parameter', `The query parameter ${name} is repeated; give it once.`);
    }
    parameters[name] = value;
  }
  return parameters;
}

function shown(name: string): string {
  return JSON.stringify(name.length > SHOWN_CHARACTERS ? `${name.slice(0, SHOWN_CHARACTERS)}…` : name);
}

function hint(names: readonly string[]): string {
  return names.length === 0 ? ', which takes none' : `, which takes ${names.join(', ')}`;
}
