import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock } from '#libs/observability';
import { ApiKeyUses } from '../last-use/api-key-uses.js';
import { Authenticator } from './authenticator.js';
import { InsufficientScopeError, readBearerToken, UnauthorizedError, type Caller } from './caller.decorator.js';

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
