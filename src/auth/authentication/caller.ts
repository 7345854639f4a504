import type { FastifyRequest } from 'fastify';
import type { RecordedBan } from '../domain/api-key-ban.js';
import type { Limits, Plan } from '../domain/plan.js';
import { UnauthorizedError } from './authentication.errors.js';

/** Who sends a request: the API key behind its token. */
export interface Caller {
  readonly keyId: bigint;
  readonly name: string;
  readonly plan: Plan;
  readonly limits: Limits;
  /** Those that the key was given, and what these include. */
  readonly scopes: readonly string[];
  /** The last ban that is recorded; a newer one may be on its way to the log. */
  readonly ban: RecordedBan;
  /** The key as an actor in event metadata, such as `api-key-7`. */
  readonly actor: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request is authenticated. */
    caller?: Caller;
  }
}

/** @throws UnauthorizedError for a request that was not authenticated. */
export function callerOf(request: FastifyRequest): Caller {
  if (!request.caller) throw new UnauthorizedError({ lacks: 'header' });
  return request.caller;
}
