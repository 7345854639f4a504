import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/clock';
import type { FastifyRequest } from 'fastify';
import { UnauthorizedError, InsufficientScopeError } from './authentication.errors.js';
import { Authenticator } from './authenticator.js';
import { ApiKeyUses } from '../last-use/api-key-uses.js';
import { otherKeyHeader, readBearerCredential } from './bearer-credential.js';
import type { Caller } from './caller.js';

/** The part of an `onRequest` hook that admits callers with a valid API key. */
@Injectable()
export class AuthenticationHook {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly uses: ApiKeyUses,
    private readonly clock: Clock,
  ) {}

  /**
   * Sets `request.caller`; where the database cannot be asked, as `recognise` does, and refuses all the same. Returns no
   * promise when the answer is known without reading the database.
   * @throws UnauthorizedError (401) without a valid key, InsufficientScopeError (403) when it lacks the scope of the path;
   * both carry their `www-authenticate` header. Thrown at once or as a rejection.
   */
  run(request: FastifyRequest): Promise<void> | void {
    const { rawHeaders } = request.raw;
    const { token, lacks } = readBearerCredential(rawHeaders);
    if (token === undefined) throw new UnauthorizedError({ lacks, otherHeader: otherKeyHeader(rawHeaders) });
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

  /** Sets `request.caller` to the caller known from before, if there is one: to be told of limits, never to be let in. Reads nothing. */
  recognise(request: FastifyRequest): void {
    const { token } = readBearerCredential(request.raw.rawHeaders);
    const known = token === undefined ? undefined : this.authenticator.lastKnown(token);
    if (known) request.caller = known;
  }

  /**
   * Whether a request that was admitted would be admitted now: its key is neither expired nor revoked, rotated away or banned, and has
   * the scope still. For answers that go on for long; half a second old at most. True where the database cannot tell.
   */
  stillAdmits(request: FastifyRequest): boolean | Promise<boolean> {
    const { token } = readBearerCredential(request.raw.rawHeaders);
    const caller = token === undefined ? undefined : this.authenticator.authenticate(token);
    if (!(caller instanceof Promise)) return this.isStanding(request, caller);
    return caller.then(
      (found) => this.isStanding(request, found),
      () => true,
    );
  }

  private isStanding({ context: { routeInfo } }: FastifyRequest, caller: Caller | undefined): boolean {
    if (!caller || this.clock.now().getTime() < caller.ban.until) return false;
    return routeInfo?.scopes.some((scope) => caller.scopes.includes(scope)) ?? false;
  }

  private admit(request: FastifyRequest, caller: Caller | undefined): void {
    if (!caller) throw new UnauthorizedError({ lacks: 'validity' });
    request.caller = caller;
    this.uses.record(caller.keyId);
    const { routeInfo } = request.context;
    request.context.scopes = caller.scopes;
    if (!routeInfo?.scopes.some((scope) => caller.scopes.includes(scope))) throw new InsufficientScopeError(routeInfo?.scopes ?? []);
  }
}
