import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { Extensions } from '@nestjs/graphql';
import type { FastifyRequest } from 'fastify';
import { getTrace, readIdempotencyKey, readParameter, setHandlerMetadata } from '#libs/http';
import type { EventMetadata, RequestIdempotency } from '#libs/event-sourcing';
import { ApplicationError, formatTraceparent } from '#libs/observability';
import type { RecordedBan } from '../domain/api-key.js';
import type { Plan, WindowLimit } from '../domain/plans.js';
import { CHALLENGE } from '../domain/api-key.errors.js';

const AUTHORIZATION = 'authorization';
const BEARER = /^bearer +(\S.*)$/i;
const KEY_HEADER = 'the header "Authorization: Bearer <API_KEY>"';
/** Headers in which clients of other services send a key. */
const OTHER_KEY_HEADERS = ['X-API-Key', 'Api-Key', 'apikey'] as const;
/** Query parameters in which they do, in lower case. */
const KEY_PARAMETERS: readonly string[] = ['api_key', 'apikey', 'api-key', 'key', 'access_token', 'token'];

/** Who sends a request: the API key of its token. */
export interface Caller {
  readonly keyId: bigint;
  readonly name: string;
  readonly plan: Plan;
  /** The limits of the plan. */
  readonly windows: readonly WindowLimit[];
  /** The scopes of the key, and those that they include. */
  readonly scopes: readonly string[];
  /** The last recorded ban; a newer one may be on its way to the log. */
  readonly ban: RecordedBan;
  /** Whether the request has the previous secret of a key that was rotated, in its grace. */
  readonly isReplaced: boolean;
  /** The key as an actor in event metadata, such as `api-key-7`. */
  readonly actor: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request is authenticated. */
    caller?: Caller;
  }
  interface FastifyContextConfig {
    answersBanned?: true;
  }
}

/**
 * Admits every key with this scope: on a controller or one of its handlers; on a resolver or one of its fields it is needed beside the
 * scope of the whole query schema. A handler's scope replaces that of its class.
 */
export function RequiresScope(scope: string): MethodDecorator & ClassDecorator {
  return setHandlerMetadata({ access: { scope } }, Extensions({ scope }));
}

/** Admits every valid key, whatever its scopes. On a controller or one of its handlers. */
export function RequiresKey(): MethodDecorator & ClassDecorator {
  return setHandlerMetadata({ access: 'key' });
}

/** Answers a banned key too, at most once a second. Such a request changes nothing of the ban. */
export function AnswersBanned(): MethodDecorator {
  return setHandlerMetadata({ answersBanned: true });
}

/** Admits everybody, without a key, within the limits of a client address. On a controller or one of its handlers. */
export function Public(): MethodDecorator & ClassDecorator {
  return setHandlerMetadata({ access: 'public' });
}

/** @throws UnauthorizedError for a request that was not authenticated */
export function getCaller(request: FastifyRequest): Caller {
  if (!request.caller) throw UnauthorizedError.missing(request);
  return request.caller;
}

/** A handler's parameter of type `Caller`: who sends the request. */
export const CurrentCaller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => getCaller(getRequest(context)));

/** A handler's parameter of type `EventMetadata`, for the events that the request causes. */
export const CallerMetadata = createParamDecorator((_: unknown, context: ExecutionContext): EventMetadata => {
  const request = getRequest(context);
  const trace = getTrace(request);
  return { actor: getCaller(request).actor, requestId: request.id, ...(trace && { traceparent: formatTraceparent(trace) }) };
});

/**
 * A handler's parameter of type `RequestIdempotency | undefined`: the `Idempotency-Key` of the request. It belongs to the caller and the
 * operation, so the same text at two operations is two keys.
 * @param options `scope: 'caller'`: the key belongs to the caller only
 */
export function IdempotencyKey({ scope }: { readonly scope: 'operation' | 'caller' } = { scope: 'operation' }): ParameterDecorator {
  return readParameter({ idempotencyKey: true }, (request): RequestIdempotency | undefined => {
    const key = readIdempotencyKey(request);
    if (key === undefined) return undefined;
    const { actor } = getCaller(request);
    return { key, scope: scope === 'caller' ? actor : `${actor} ${request.routeOptions.config.operation?.id ?? ''}` };
  });
}

function getRequest(context: ExecutionContext): FastifyRequest {
  return context.switchToHttp().getRequest<FastifyRequest>();
}

/**
 * Reads the bearer token (RFC 6750 section 2.1) from the header names and values as they were received. Undefined without one, and if
 * the Authorization header is repeated: Node keeps the first, a proxy before it may have used the last.
 */
export function readBearerToken(rawHeaders: readonly string[]): string | undefined {
  let token: string | undefined;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    // Comparing lengths first spares the lower-casing of all other headers.
    if (name?.length !== AUTHORIZATION.length || name.toLowerCase() !== AUTHORIZATION) continue;
    token = BEARER.exec(rawHeaders[index + 1] ?? '')?.[1];
    count += 1;
  }
  return count === 1 ? token : undefined;
}

/** The request has no valid API key (401). What is wrong with a token is not said, so that nobody learns which keys exist. */
export class UnauthorizedError extends ApplicationError {
  override readonly name = 'UnauthorizedError';

  /** The error for a request without a bearer token, which names the header or parameter in which a key was sent by mistake. */
  static missing({ raw: { rawHeaders }, query }: Pick<FastifyRequest, 'raw' | 'query'>): UnauthorizedError {
    const sent = new Set(rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
    if (sent.has(AUTHORIZATION)) {
      return new UnauthorizedError(`The header Authorization does not hold one bearer token; send the API key in ${KEY_HEADER}, once.`);
    }
    const other = OTHER_KEY_HEADERS.find((name) => sent.has(name.toLowerCase()));
    if (other) return new UnauthorizedError(`The header ${other} is not read; send the API key in ${KEY_HEADER}.`);
    const parameter = Object.keys(query ?? {}).find((name) => KEY_PARAMETERS.includes(name.toLowerCase()));
    if (parameter) {
      return new UnauthorizedError(
        `The query parameter ${parameter} is not read, since addresses are logged; send the API key in ${KEY_HEADER}.`,
      );
    }
    return new UnauthorizedError(`There is no API key in this request; send one in ${KEY_HEADER}.`);
  }

  /** The challenge has an error code only if a token was refused (RFC 6750 section 3.1). */
  static invalid(): UnauthorizedError {
    return new UnauthorizedError(`The API key is not valid here; send a valid one in ${KEY_HEADER}.`, ', error="invalid_token"');
  }

  private constructor(message: string, challengeError = '') {
    super('unauthorized', message, { headers: { 'www-authenticate': `${CHALLENGE}${challengeError}` } });
  }
}
