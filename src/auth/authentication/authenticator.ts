import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Clock } from '#libs/clock';
import { DEPLOYMENT } from '../deployment.token.js';
import { apiKeyStream } from '../domain/api-key-stream.js';
import { hashToken, parseToken } from '../domain/api-key-token.js';
import type { Deployment } from '../domain/deployment.js';
import { FindApiKeyByHash } from '../queries/find-api-key-by-hash.query.js';
import type { Caller } from './caller.js';
import { FreshCache } from './fresh-cache.js';

// Half of the second within which a change by the command line has to take effect.
const TRUSTED_FOR = 500;
const CAPACITY = 10_000;

interface KnownCaller {
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly usableUntil: number;
}

/** Tells who a token belongs to. */
@Injectable()
export class Authenticator {
  private readonly callers: FreshCache<KnownCaller>;

  constructor(
    private readonly queryBus: QueryBus,
    private readonly clock: Clock,
    @Inject(DEPLOYMENT) private readonly deployment: Deployment,
  ) {
    this.callers = new FreshCache({
      read: (hash) => this.findCaller(hash),
      trustedFor: TRUSTED_FOR,
      capacity: CAPACITY,
      elapsed: () => performance.now(),
    });
  }

  /**
   * The caller, or undefined for a token that is malformed, of another deployment, unknown, expired, revoked or rotated away.
   * Answers at once, without a promise, for malformed tokens and for those read from the database within the last 500 ms.
   * @throws DatabaseUnavailableError as a rejection
   */
  authenticate(token: string): Caller | undefined | Promise<Caller | undefined> {
    if (parseToken(token)?.deployment !== this.deployment) return undefined;
    const known = this.callers.get(hashToken(token));
    return known instanceof Promise ? known.then((found) => this.usable(found)) : this.usable(known);
  }

  private usable(known: KnownCaller | undefined): Caller | undefined {
    return known && this.clock.now().getTime() < known.usableUntil ? known.caller : undefined;
  }

  private async findCaller(hash: string): Promise<KnownCaller | undefined> {
    const credential = await this.queryBus.execute(new FindApiKeyByHash(hash));
    if (!credential) return undefined;
    const { usableUntil, ...key } = credential;
    return { caller: { ...key, actor: apiKeyStream(key.keyId) }, usableUntil };
  }
}
