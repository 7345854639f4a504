import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ApplicationError, Clock } from '#libs/observability';
import { ApiKeyUses } from '../last-use/api-key-uses.js';
import { Authenticator } from './authenticator.js';
import type { Caller } from './caller.decorator.js';

const AUTHORIZATION = 'authorization';
const BEARER = /^bearer +(\S.*)$/i;
const CHALLENGE = 'Bearer realm="adoption"';
const KEY_HEADER = 'the header "Authorization: Bearer <API_KEY>"';
/** Headers in which clients of other services send a key. */
const OTHER_KEY_HEADERS = ['X-API-Key', 'Api-Key', 'apikey'] as const;

/** The part of an `onRequest` hook that admits callers with a valid API key. */
@Injectable()
export class AuthenticationHook {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly uses: ApiKeyUses,
    private readonly clock: Clock,
  ) {}

  /**
   * Sets `request.caller`. If the database is unavailable it rejects, but sets the caller as `recognise` does. Returns no promise if the
   * caller is known without a look-up.
   * @throws UnauthorizedError (401) without a valid key, InsufficientScopeError (403) if the key lacks the scope of the path; thrown or
   * as a rejection
   */
  run(request: FastifyRequest): Promise<void> | void {
    const token = readBearerToken(request.raw.rawHeaders);
    if (token === undefined) throw UnauthorizedError.missing(request.raw.rawHeaders);
    const caller = this.authenticator.authenticate(token);
    if (!(caller instanceof Promise)) {
      this.admit(request, caller);
      return;
    }
    return caller.then(
      (found) => this.admit(request, found),
      (failure: unknown) => {
        this.recognise(request);
        throw failure;
      },
    );
  }

  /** Sets `request.caller` to the caller as of the last look-up, if any: to describe its limits, never to admit it. */
  recognise(request: FastifyRequest): void {
    const token = readBearerToken(request.raw.rawHeaders);
    const known = token === undefined ? undefined : this.authenticator.lastKnown(token);
    if (known) request.caller = known;
  }

  /**
   * Whether an admitted request would be admitted now, at most 500 ms ago: its key is neither expired, revoked, rotated away nor banned,
   * and still has the scope. True if the database is unavailable. For responses that go on for long.
   */
  stillAdmits(request: FastifyRequest): boolean | Promise<boolean> {
    const token = readBearerToken(request.raw.rawHeaders);
    const caller = token === undefined ? undefined : this.authenticator.authenticate(token);
    if (!(caller instanceof Promise)) return this.isStillAllowed(request, caller);
    return caller.then(
      (found) => this.isStillAllowed(request, found),
      () => true,
    );
  }

  private isStillAllowed(request: FastifyRequest, caller: Caller | undefined): boolean {
    return caller !== undefined && this.clock.now().getTime() >= caller.ban.until && hasScope(request, caller);
  }

  private admit(request: FastifyRequest, caller: Caller | undefined): void {
    if (!caller) throw UnauthorizedError.invalid();
    request.caller = caller;
    this.uses.record(caller.keyId);
    request.context.scopes = caller.scopes;
    if (!hasScope(request, caller)) throw new InsufficientScopeError(request.context.routeInfo?.scopes ?? []);
  }
}

function hasScope({ context: { routeInfo } }: FastifyRequest, { scopes }: Caller): boolean {
  return routeInfo?.scopes.some((scope) => scopes.includes(scope)) ?? false;
}

/**
 * Reads the bearer token (RFC 6750 section 2.1) from the header names and values as they were received. Undefined without one, and if
 * the Authorization header is repeated: Node keeps the first, a proxy before it may have used the last.
 */
function readBearerToken(rawHeaders: readonly string[]): string | undefined {
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

  /** The error for a request without a bearer token, which names the header in which a key was sent by mistake. */
  static missing(rawHeaders: readonly string[]): UnauthorizedError {
    const sent = new Set(rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
    if (sent.has(AUTHORIZATION)) {
      return new UnauthorizedError(`The header Authorization does not hold one bearer token; send the API key in ${KEY_HEADER}, once.`);
    }
    const other = OTHER_KEY_HEADERS.find((name) => sent.has(name.toLowerCase()));
    if (other) return new UnauthorizedError(`The header ${other} is not read; send the API key in ${KEY_HEADER}.`);
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

/** The key is valid but lacks the scope (403, RFC 6750 section 3.1). */
export class InsufficientScopeError extends ApplicationError {
  override readonly name = 'InsufficientScopeError';

  /** @param scopes any one of which would be enough */
  constructor(scopes: readonly string[]) {
    super('insufficient_scope', `This API key lacks the scope ${scopes.join(' or ')}; use a key that has it.`, {
      headers: { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scopes.join(' ')}"` },
    });
  }
}
