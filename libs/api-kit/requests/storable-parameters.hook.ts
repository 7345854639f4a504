import { assertStorable } from '#libs/validation';
import type { FastifyRequest } from 'fastify';
import { readTexts } from './read-query.decorator.js';

/** Holds the parameters in the path and the query of every route to the rule for text; one that reads no query is given none. */
export function checkParameters(request: FastifyRequest, _reply: unknown, done: () => void): void {
  if (!request.is404) {
    assertStorable(request.params ?? {}, 'invalid_parameter');
    const { reads } = request.routeOptions.config;
    if (!reads) assertStorable(request.query ?? {}, 'invalid_parameter');
    else if (!reads.query) readTexts(request.query, []);
  }
  done();
}
