import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/observability';
import { EventStore, executeDecider, type EventMetadata } from '#libs/event-sourcing';
import { apiKeyDecider, type ApiKeyChange, type ChangeKey } from '../domain/api-key.decider.js';
import { apiKeyStream, Scopes } from '../domain/api-key.js';
import { createToken, DEPLOYMENT, hashToken, readKeyStart, TOKEN_RANDOM_BYTES, type Deployment } from '../domain/api-key-token.js';
import { ApiKeyReader, type ApiKeyView } from '../read-model/api-key.reader.js';

export interface ChangedApiKey {
  readonly apiKey: ApiKeyView;
  /** False if nothing had to change and no event was written. */
  readonly changed: boolean;
}

/**
 * Puts an API key on a plan, gives it a scope or takes one, ends it for ever, or lifts its ban, also one that the log does not have, and
 * restarts its ladder of bans. Nothing is recorded if the key has that plan with those limits, has or lacks that scope, or has ended already.
 */
export class ChangeApiKey extends Command<ChangedApiKey> {
  constructor(
    readonly change: ApiKeyChange,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(ChangeApiKey)
export class ChangeApiKeyHandler implements ICommandHandler<ChangeApiKey> {
  constructor(
    private readonly store: EventStore,
    private readonly reader: ApiKeyReader,
    private readonly clock: Clock,
    private readonly scopes: Scopes,
  ) {}

  /** @throws ApiKeyNotFoundError; ApplicationError `invalid_request` for what the rules of a key forbid */
  async execute({ change, metadata }: ChangeApiKey): Promise<ChangedApiKey> {
    const command = { ...change, now: this.clock.now(), known: this.scopes.all() };
    const { events } = await decideOnKey(this.store, command, metadata);
    return { apiKey: await this.reader.get(change.id), changed: events.length > 0 };
  }
}

/** A key with its new token, shown only now. */
export type RotatedApiKey = ApiKeyView & { readonly key: string };

export interface RotateApiKeyInput {
  readonly id: bigint;
  /** Milliseconds for which the previous token still works. Default: 0, it ends at once. */
  readonly grace?: number | undefined;
  readonly metadata: EventMetadata;
}

/** Gives an API key a new token. A token older than the previous one ends at once. */
export class RotateApiKey extends Command<RotatedApiKey> {
  constructor(readonly input: RotateApiKeyInput) {
    super();
  }
}

@CommandHandler(RotateApiKey)
export class RotateApiKeyHandler implements ICommandHandler<RotateApiKey> {
  constructor(
    private readonly store: EventStore,
    private readonly reader: ApiKeyReader,
    private readonly clock: Clock,
    @Inject(DEPLOYMENT) private readonly deployment: Deployment,
  ) {}

  async execute({ input: { id, grace = 0, metadata } }: RotateApiKey): Promise<RotatedApiKey> {
    const key = createToken(this.deployment, randomBytes(TOKEN_RANDOM_BYTES));
    const secret = { hash: hashToken(key), keyStart: readKeyStart(key) };
    await decideOnKey(this.store, { type: 'rotate', id, ...secret, grace, now: this.clock.now() }, metadata);
    return { ...(await this.reader.get(id)), key };
  }
}

export interface BanApiKeyInput {
  readonly id: bigint;
  readonly until: Date;
  /** Which ban of the ladder of ever longer bans it is, from 1. */
  readonly step: number;
  /** How often bans of the key had been lifted when this one was imposed. */
  readonly unbans: number;
  readonly metadata: EventMetadata;
}

/** Records a ban that is in force already. Nothing is recorded if the key is revoked or the ban was lifted in the meantime. */
export class BanApiKey extends Command<void> {
  constructor(readonly input: BanApiKeyInput) {
    super();
  }
}

@CommandHandler(BanApiKey)
export class BanApiKeyHandler implements ICommandHandler<BanApiKey> {
  constructor(private readonly store: EventStore) {}

  // Reads no key back: the limiter bans while the read model may be unavailable.
  async execute({ input: { metadata, ...ban } }: BanApiKey): Promise<void> {
    await decideOnKey(this.store, { type: 'ban', ...ban }, metadata);
  }
}

function decideOnKey(store: EventStore, command: ChangeKey, metadata: EventMetadata) {
  return executeDecider(store, { decider: apiKeyDecider, stream: apiKeyStream(command.id), command, metadata });
}

export const changeApiKeyHandlers = [ChangeApiKeyHandler, RotateApiKeyHandler, BanApiKeyHandler];
