import { Inject, Injectable } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { Clock } from '#libs/clock';
import { Scopes } from '../commands/scopes.js';
import { apiKeyStream } from '../domain/api-key-stream.js';
import { hashToken, parseToken } from '../domain/api-key-token.js';
import { DEPLOYMENT, type Deployment } from '../domain/deployment.js';
import { FindApiKeysByHash } from '../queries/find-api-keys-by-hash.query.js';
import type { ApiKeyCredential } from '../read-model/api-key-credential.js';
import type { Caller } from './caller.js';
import { BatchedCache } from './batched-cache.js';

// Half of the second within which a change by the command line has to take effect.
const TRUSTED_FOR = 500;
// Longer than a look-up takes on a busy machine, and short beside the time in which a request has to be answered.
const ASK_AGAIN_AFTER = 250;
const CAPACITY = 10_000;
const HASHES_IN_A_STATEMENT = 100;

interface KnownCaller {
  readonly caller: Caller;
  /** Milliseconds since 1970. */
  readonly usableUntil: number;
}

/** Tells who a token belongs to. */
@Injectable()
export class Authenticator {
  private readonly callers: BatchedCache<KnownCaller>;

  constructor(
    private readonly queryBus: QueryBus,
    private readonly clock: Clock,
    private readonly scopes: Scopes,
    @Inject(DEPLOYMENT) private readonly deployment: Deployment,
  ) {
    this.callers = new BatchedCache({
      read: (hashes) => this.findCallers(hashes),
      askAgainAfter: ASK_AGAIN_AFTER,
      batch: HASHES_IN_A_STATEMENT,
      trustedFor: TRUSTED_FOR,
      capacity: CAPACITY,
      elapsed: () => performance.now(),
    });
  }

  /**
   * The caller, or undefined for a token that is malformed, of another deployment, unknown, expired, revoked or rotated away.
   * Answers at once, without a promise, for malformed tokens and for those read from the database within the last 500 ms.
   * However many others there are, the database is asked for them by one statement at a time.
   * @throws DatabaseUnavailableError as a rejection
   */
  authenticate(token: string): Caller | undefined | Promise<Caller | undefined> {
    if (parseToken(token)?.deployment !== this.deployment) return undefined;
    const known = this.callers.get(hashToken(token));
    return known instanceof Promise ? known.then((found) => this.usable(found)) : this.usable(known);
  }

  /** The caller as of the last look-up, however long ago: to be told of limits, never to be let in. */
  lastKnown(token: string): Caller | undefined {
    return this.callers.lastKnown(hashToken(token))?.caller;
  }

  private usable(known: KnownCaller | undefined): Caller | undefined {
    return known && this.clock.now().getTime() < known.usableUntil ? known.caller : undefined;
  }

  private async findCallers(hashes: readonly string[]): Promise<ReadonlyMap<string, KnownCaller>> {
    const credentials = await this.queryBus.execute(new FindApiKeysByHash(hashes));
    return new Map([...credentials].map(([hash, credential]) => [hash, this.knownCallerOf(credential)]));
  }

  private knownCallerOf({ usableUntil, ...key }: ApiKeyCredential): KnownCaller {
    const scopes = this.scopes.withIncluded(key.scopes);
    return { caller: { ...key, scopes, actor: apiKeyStream(key.keyId) }, usableUntil };
  }
}
