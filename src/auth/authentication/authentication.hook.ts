import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import type { FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { Clock } from '#libs/observability';
import { DEPLOYMENT, hashToken, parseToken, type Deployment } from '../domain/api-key-token.js';
import { InsufficientScopeError } from '../domain/api-key.errors.js';
import { ApiKeyUses } from '../last-use/api-key-uses.js';
import { ApiKeyReader, type ApiKeyCredential } from '../read-model/api-key.reader.js';
import { readBearerToken, UnauthorizedError, type Caller } from './caller.decorator.js';

// Half of the second within which a change by the command line has to take effect.
const TRUSTED_FOR_MILLISECONDS = 500;
const CAPACITY = 10_000;
const HASHES_IN_A_STATEMENT = 100;

interface KnownCaller extends ApiKeyCredential {
  /** By `performance.now()`. */
  readonly trustedUntil: number;
}

/** Finds out whom a token belongs to. */
@Injectable()
export class Authenticator {
  private readonly callers = new LRUCache<string, KnownCaller>({
    max: CAPACITY,
    fetchMethod: (hash) => this.lookUps.load(hash),
    noDeleteOnFetchRejection: true,
  });
  private readonly lookUps = new DataLoader<string, KnownCaller | undefined>(
    (hashes) => {
      const found = this.findCallers(hashes);
      this.lookUp = found.catch(() => undefined);
      return found;
    },
    { cache: false, maxBatchSize: HASHES_IN_A_STATEMENT, batchScheduleFn: (start) => void (this.queue = this.startNext(start)) },
  );
  private queue: Promise<unknown> = Promise.resolve();
  private lookUp: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly reader: ApiKeyReader,
    private readonly clock: Clock,
    @Inject(DEPLOYMENT) private readonly deployment: Deployment,
  ) {}

  /**
   * Returns the caller, or undefined for a token that is malformed, of another deployment, unknown, expired, revoked or rotated away.
   * Returns no promise for malformed tokens and for those read from the database within the last 500 ms.
   * @throws DatabaseUnavailableError as a rejection
   */
  authenticate(token: string): Caller | undefined | Promise<Caller | undefined> {
    if (parseToken(token)?.deployment !== this.deployment) return undefined;
    const hash = hashToken(token);
    const known = this.callers.peek(hash);
    if (known && performance.now() <= known.trustedUntil) return this.usable(known);
    return this.callers.fetch(hash, { forceRefresh: true }).then((found) => this.usable(found));
  }

  /** Returns the caller as of the last look-up, however long ago: to describe its limits, never to admit it. */
  lastKnown(token: string): Caller | undefined {
    return this.callers.peek(hashToken(token))?.caller;
  }

  private usable(known: KnownCaller | undefined): Caller | undefined {
    return known && this.clock.now().getTime() < known.usableUntil ? known.caller : undefined;
  }

  /** Starts one look-up at a time, so that a flood of unknown tokens does not take all connections to the database. */
  private async startNext(start: () => void, before = this.queue): Promise<void> {
    await before;
    await nextTurn();
    start();
    await this.lookUp;
  }

  private async findCallers(hashes: readonly string[]): Promise<(KnownCaller | undefined)[]> {
    const trustedUntil = performance.now() + TRUSTED_FOR_MILLISECONDS;
    const credentials = await this.reader.findByHash(hashes);
    return hashes.map((hash) => {
      const credential = credentials.get(hash);
      return credential && { ...credential, trustedUntil };
    });
  }
}

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
    if (token === undefined) throw UnauthorizedError.missing(request);
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
   * and still has the scope. True if the database is unavailable. For long-lived responses.
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
    request.scopes = caller.scopes;
    if (!hasScope(request, caller)) throw new InsufficientScopeError(request.route.scopes);
  }
}

function hasScope({ route }: FastifyRequest, { scopes }: Caller): boolean {
  return route.takesAnyKey || route.scopes.some((scope) => scopes.includes(scope));
}
