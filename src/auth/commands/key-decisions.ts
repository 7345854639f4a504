import { Injectable } from '@nestjs/common';
import type { Precondition } from '#libs/http';
import { ApplicationError, Clock } from '#libs/observability';
import { Aggregate, EventStore, retryConflicts, type EventMetadata, type StreamAppend } from '#libs/event-sourcing';
import { UnauthorizedError } from '../authentication/caller.decorator.js';
import { apiKeyDecider, type ApiKeyState, type ChangeKey } from '../domain/api-key.decider.js';
import { authErrors } from '../domain/api-key.errors.js';
import { apiKeyStream, Scopes } from '../domain/api-key.js';
import { MANAGE_KEYS, type ActingKey } from '../domain/acting-key.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import { toApiKeyResource } from '../domain/api-key-view.js';

/** Who changes a key, and under which condition. */
export interface KeyRequest {
  readonly metadata: EventMetadata;
  /** Number of the API key that acts. Undefined for the command line and the service itself, which may do everything. */
  readonly by?: bigint | undefined;
  /** Checked against the key before the change. */
  readonly precondition?: Precondition | undefined;
}

/** The acting key, as it was read for a decision. */
export interface LoadedActingKey {
  readonly key: ActingKey | undefined;
  /** Appends without events that fail if the acting key has changed since it was read, so that the decision is repeated. */
  readonly unchanged: readonly StreamAppend[];
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
   * @param toCommand makes the command from the acting key and the time
   * @returns false if nothing had to change and no event was appended
   * @throws ApiKeyNotFoundError, InsufficientScopeError; UnauthorizedError if the acting key is revoked or expired; ApplicationError
   * `last_managing_key` if the acting key would end or weaken itself and no other usable key can manage keys
   */
  decide(id: bigint, request: KeyRequest, toCommand: (by: ActingKey | undefined, now: Date) => ChangeKey): Promise<boolean> {
    return retryConflicts(async () => {
      const now = this.clock.now();
      const acting = await this.loadActingKey(request.by, now);
      const command = toCommand(acting.key, now);
      const key = await Aggregate.read(this.store, apiKeyDecider, apiKeyStream(id));
      if (request.precondition) request.precondition(toApiKeyResource(await this.reader.get(id), now));
      const weakensItself = request.by === id && weakens(command, key.state);
      const appends = key.decide(command);
      if (appends.length === 0) return false;
      await this.store.append([...appends, ...(request.by === id ? [] : acting.unchanged)], {
        metadata: request.metadata,
        withinTransaction: weakensItself
          ? async (transaction) => {
              if (!(await this.reader.hasOtherUsable(transaction, { id, scope: MANAGE_KEYS, now }))) throw lastManagingKey(id);
            }
          : undefined,
      });
      return true;
    });
  }

  /** @throws UnauthorizedError if the key was revoked or has expired since its request was admitted */
  async loadActingKey(by: bigint | undefined, now: Date): Promise<LoadedActingKey> {
    if (by === undefined) return { key: undefined, unchanged: [] };
    const aggregate = await Aggregate.read(this.store, apiKeyDecider, apiKeyStream(by));
    const { state } = aggregate;
    if (state.status !== 'issued' || (state.expiresAt !== null && new Date(state.expiresAt) <= now)) throw UnauthorizedError.invalid();
    return { key: { id: by, scopes: this.scopes.withIncluded(state.scopes) }, unchanged: [aggregate.expectUnchanged()] };
  }
}

/** Whether a command shortens the time in which its key can be used. */
function weakens(command: ChangeKey, before: ApiKeyState): boolean {
  if (command.type === 'revoke' || command.type === 'impose-ban') return true;
  if (command.type !== 'update' || command.changes.expiresAt === undefined || before.status !== 'issued') return false;
  return (command.changes.expiresAt?.toISOString() ?? null) !== before.expiresAt;
}

function lastManagingKey(id: bigint): ApplicationError {
  const message = `API key ${id} is the last one in use with the scope ${MANAGE_KEYS}; issue another one before it ends, or use the command line.`;
  return new ApplicationError(authErrors.last_managing_key, message);
}
