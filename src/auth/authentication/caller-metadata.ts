import type { FastifyRequest } from 'fastify';
import type { EventMetadata } from '#libs/event-store';
import { callerOf } from './caller.js';

/**
 * The metadata of events that a request causes.
 * @throws UnauthorizedError for a request that was not authenticated.
 */
export function callerMetadata(request: FastifyRequest): EventMetadata {
  return { actor: callerOf(request).actor, requestId: request.id };
}
