import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { SqlRunner } from '#libs/database';
import type { Precondition } from '#libs/http';
import { ApplicationError, Clock } from '#libs/observability';
import { Aggregate, EventStore, retryConflicts, type EventMetadata, type StreamAppend } from '#libs/event-sourcing';
import { UnauthorizedError } from '../authentication/caller.decorator.js';
import { apiKeyDecider, endOf, type ActingKey, type ApiKeyState, type KeyChange } from '../domain/api-key.decider.js';
import { authErrors, InsufficientScopeError } from '../domain/api-key.errors.js';
import { apiKeyStream, MANAGE_KEYS, Scopes } from '../domain/api-key.js';
import { createToken, hashToken, readKeyStart, TOKEN_RANDOM_BYTES, type Deployment } from '../domain/api-key-token.js';
import { toApiKeyResource } from '../domain/api-key-view.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';

/** In which a key that is to end itself can be replaced. */
const SUCCESSION_MILLISECONDS = 24 * 60 * 60 * 1_000;

/** Who changes a key, and under which condition. */
export interface KeyRequest {
  readonly metadata: EventMetadata;
  /** Number of the API key that acts. Undefined for the command line and the service itself, which may do everything. */
  readonly by?: bigint | undefined;
  /** Checked against the key before the change. */
  readonly precondition?: Precondition | undefined;
}

/** Decides about API keys. The rights of the acting key are read from its stream, which must not change before the same append. */
@Injectable()
export class KeyDecisions {
  constructor(
    private readonly store: EventStore,
    private readonly reader: ApiKeyReader,
    private readonly clock: Clock,
    private readonly scopes: Scopes,
  ) {}

  /**
   * Decides and appends; decides again if another writer came first.
   * @throws ApiKeyNotFoundError; ApplicationError `invalid_request`, `key_ended` for what the rules of a key forbid; InsufficientScopeError,
   * also if another key has taken the scope from the acting key; UnauthorizedError if that is revoked, expired or banned; ApplicationError
   * `last_managing_key` if a key that manages keys would end or be weakened and no other one can be used for as long as that one could, or for
   * a day. The command line may do that too.
   * @returns false if nothing had to change and no event was appended
   */
  append(id: bigint, change: KeyChange, { by, metadata, precondition }: KeyRequest): Promise<boolean> {
    return retryConflicts(async () => {
      const now = this.clock.now();
      const acting = await this.loadActingKey(by, now, by === id ? undefined : MANAGE_KEYS);
      const key = await Aggregate.read(this.store, apiKeyDecider, apiKeyStream(id));
      if (precondition) precondition(toApiKeyResource(await this.reader.get(id), now));
      const before = key.state;
      const appends = key.decide({ ...change, id, by: acting.key, now, known: this.scopes.all() });
      if (appends.length === 0) return false;
      const isWeaker = manages(before) && (change.type === 'ban' || !manages(key.state) || endOf(key.state) < endOf(before));
      await this.store.append([...appends, ...(by === id ? [] : acting.unchanged)], {
        metadata,
        // Under the write lock, so that of two that weaken each other the second one sees what the first one did.
        withinTransaction: async (transaction) => {
          if (by === undefined || !isWeaker || (await this.hasSuccessor(id, before, now, transaction))) return;
          const message = `No other API key with the scope ${MANAGE_KEYS} lasts as long as ${id}, or for a day; issue one first, or use the command line.`;
          throw new ApplicationError(authErrors.last_managing_key, message);
        },
      });
      return true;
    });
  }

  /** Whether a key manages keys and no other one can be used for as long as that one could, or for a day. */
  async isLastManagingKey(id: bigint): Promise<boolean> {
    const { state } = await Aggregate.read(this.store, apiKeyDecider, apiKeyStream(id));
    return manages(state) && !(await this.hasSuccessor(id, state, this.clock.now()));
  }

  private hasSuccessor(id: bigint, key: ManagingKey, now: Date, transaction?: SqlRunner): Promise<boolean> {
    const until = new Date(Math.min(endOf(key), now.getTime() + SUCCESSION_MILLISECONDS));
    return this.reader.hasOtherUsable({ id, scope: MANAGE_KEYS, now, until }, transaction);
  }

  /**
   * Reads the acting key, with appends that fail if it has changed since, so that the decision is repeated.
   * @param scope that the key needs; undefined for what any key may do to itself
   * @throws UnauthorizedError if the key was revoked or banned, or has expired, InsufficientScopeError if it lost the scope, since its
   * request was admitted
   */
  async loadActingKey(
    by: bigint | undefined,
    now: Date,
    scope?: string,
  ): Promise<{ readonly key?: ActingKey; readonly unchanged: readonly StreamAppend[] }> {
    if (by === undefined) return { unchanged: [] };
    const aggregate = await Aggregate.read(this.store, apiKeyDecider, apiKeyStream(by));
    const { state } = aggregate;
    if (state.status !== 'issued' || endOf(state) <= now.getTime() || (state.bannedUntil && state.bannedUntil > now)) {
      throw UnauthorizedError.invalid();
    }
    if (scope !== undefined && !state.scopes.includes(scope)) throw new InsufficientScopeError([scope]);
    return { key: { id: by, scopes: this.scopes.withIncluded(state.scopes) }, unchanged: [aggregate.expectUnchanged()] };
  }
}

type ManagingKey = Extract<ApiKeyState, { readonly status: 'issued' | 'revoked' }>;

function manages(key: ApiKeyState): key is ManagingKey {
  return key.status === 'issued' && key.scopes.includes(MANAGE_KEYS);
}

/** Makes a new token, with what is stored of it. */
export function createSecret(deployment: Deployment) {
  const token = createToken(deployment, randomBytes(TOKEN_RANDOM_BYTES));
  return { token, hash: hashToken(token), keyStart: readKeyStart(token) };
}
