import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/observability';
import { EventStore, executeDecider, type EventMetadata } from '#libs/event-sourcing';
import { assertValid, IsWholeNumber } from '#libs/http';
import { apiKeyDecider, type ChangeKey } from '../domain/api-key.decider.js';
import { apiKeyStream, type Plan } from '../domain/api-key.js';
import { createToken, DEPLOYMENT, hashToken, readKeyStart, TOKEN_RANDOM_BYTES, type Deployment } from '../domain/api-key-token.js';
import { ApiKeyReader, type ApiKeyView } from '../read-model/api-key.reader.js';
import { IsPlan, IsPlanLimit } from './issue-api-key.command.js';
import { Scopes } from './scopes.js';

const LONGEST_GRACE = 365 * 24 * 60 * 60 * 1_000;

export interface ChangedApiKey {
  readonly apiKey: ApiKeyView;
  /** False if nothing had to change and no event was written. */
  readonly changed: boolean;
}

/** Changes API keys that exist. */
@Injectable()
export class ApiKeyChanges {
  constructor(
    private readonly store: EventStore,
    private readonly reader: ApiKeyReader,
  ) {}

  /** @throws ApiKeyNotFoundError; ApplicationError `invalid_request` for what the rules of a key forbid */
  async make(command: ChangeKey, metadata: EventMetadata): Promise<ChangedApiKey> {
    const { id } = command;
    const { events } = await executeDecider(this.store, { decider: apiKeyDecider, stream: apiKeyStream(id), command, metadata });
    return { apiKey: await this.reader.get(id), changed: events.length > 0 };
  }
}

export interface SetApiKeyPlanInput {
  readonly id: bigint;
  readonly plan: string;
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
  readonly metadata: EventMetadata;
}

/** Puts an API key on a plan. Nothing is recorded if it is on that plan with those limits already. */
export class SetApiKeyPlan extends Command<ChangedApiKey> {
  readonly id: bigint;

  @IsPlan()
  readonly plan: Plan;

  @IsPlanLimit()
  readonly perMinute: number | undefined;

  @IsPlanLimit()
  readonly perDay: number | undefined;

  readonly metadata: EventMetadata;

  constructor(input: SetApiKeyPlanInput) {
    super();
    this.id = input.id;
    // The decorator rejects any other text before it is used.
    this.plan = input.plan as Plan;
    this.perMinute = input.perMinute;
    this.perDay = input.perDay;
    this.metadata = input.metadata;
  }
}

@CommandHandler(SetApiKeyPlan)
export class SetApiKeyPlanHandler implements ICommandHandler<SetApiKeyPlan> {
  constructor(private readonly changes: ApiKeyChanges) {}

  async execute(command: SetApiKeyPlan): Promise<ChangedApiKey> {
    assertValid(command);
    const { id, plan, perMinute, perDay, metadata } = command;
    return this.changes.make({ type: 'change-plan', id, plan, perMinute, perDay }, metadata);
  }
}

export interface ChangeApiKeyScopesInput {
  readonly id: bigint;
  readonly change: 'add' | 'remove';
  readonly scope: string;
  readonly metadata: EventMetadata;
}

/** Gives an API key one more scope or takes one from it. Nothing is recorded if it has that scope, or lacks it, already. */
export class ChangeApiKeyScopes extends Command<ChangedApiKey> {
  constructor(readonly input: ChangeApiKeyScopesInput) {
    super();
  }
}

@CommandHandler(ChangeApiKeyScopes)
export class ChangeApiKeyScopesHandler implements ICommandHandler<ChangeApiKeyScopes> {
  constructor(
    private readonly changes: ApiKeyChanges,
    private readonly scopes: Scopes,
  ) {}

  execute({ input: { id, change, scope, metadata } }: ChangeApiKeyScopes): Promise<ChangedApiKey> {
    return this.changes.make({ type: `${change}-scope`, id, scope, known: this.scopes.all() }, metadata);
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
  readonly id: bigint;

  @IsWholeNumber(0, LONGEST_GRACE, 'grace must be a whole number of milliseconds, at most 365 days')
  readonly grace: number;

  readonly metadata: EventMetadata;

  constructor(input: RotateApiKeyInput) {
    super();
    this.id = input.id;
    this.grace = input.grace ?? 0;
    this.metadata = input.metadata;
  }
}

@CommandHandler(RotateApiKey)
export class RotateApiKeyHandler implements ICommandHandler<RotateApiKey> {
  constructor(
    private readonly changes: ApiKeyChanges,
    private readonly clock: Clock,
    @Inject(DEPLOYMENT) private readonly deployment: Deployment,
  ) {}

  async execute(command: RotateApiKey): Promise<RotatedApiKey> {
    assertValid(command);
    const { id, grace, metadata } = command;
    const key = createToken(this.deployment, randomBytes(TOKEN_RANDOM_BYTES));
    const secret = { hash: hashToken(key), keyStart: readKeyStart(key) };
    const { apiKey } = await this.changes.make({ type: 'rotate', id, ...secret, grace, now: this.clock.now() }, metadata);
    return { ...apiKey, key };
  }
}

/** Ends an API key for ever. Nothing is recorded if it has ended already. */
export class RevokeApiKey extends Command<ChangedApiKey> {
  constructor(
    readonly id: bigint,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(RevokeApiKey)
export class RevokeApiKeyHandler implements ICommandHandler<RevokeApiKey> {
  constructor(private readonly changes: ApiKeyChanges) {}

  execute({ id, metadata }: RevokeApiKey): Promise<ChangedApiKey> {
    return this.changes.make({ type: 'revoke', id }, metadata);
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
    const command = { type: 'ban', ...ban } as const;
    await executeDecider(this.store, { decider: apiKeyDecider, stream: apiKeyStream(ban.id), command, metadata });
  }
}

/** Lifts the ban of an API key, also one that the log does not have, and restarts its ladder of bans. */
export class UnbanApiKey extends Command<ChangedApiKey> {
  constructor(
    readonly id: bigint,
    readonly metadata: EventMetadata,
  ) {
    super();
  }
}

@CommandHandler(UnbanApiKey)
export class UnbanApiKeyHandler implements ICommandHandler<UnbanApiKey> {
  constructor(
    private readonly changes: ApiKeyChanges,
    private readonly clock: Clock,
  ) {}

  execute({ id, metadata }: UnbanApiKey): Promise<ChangedApiKey> {
    return this.changes.make({ type: 'unban', id, now: this.clock.now() }, metadata);
  }
}

export const changeApiKeyHandlers = [
  SetApiKeyPlanHandler,
  ChangeApiKeyScopesHandler,
  RotateApiKeyHandler,
  RevokeApiKeyHandler,
  BanApiKeyHandler,
  UnbanApiKeyHandler,
];
