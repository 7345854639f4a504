import { assertStorable } from '#libs/validation';
import type { FastifyRequest } from 'fastify';

/** Holds the parameters in the path and the query of every route to the rule for text. */
export function checkParameters(request: FastifyRequest, _reply: unknown, done: () => void): void {
  if (!request.is404) {
    assertStorable(request.params ?? {}, 'invalid_parameter');
    assertStorable(request.query ?? {}, 'invalid_parameter');
  }
  done();
}
