import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApiDescription, assertValid, IfGiven, InputCommand, IsNullable, IsText, IsTime, IsWholeNumber, type Unchecked } from '#libs/http';
import type { ChangeScopes } from '../domain/api-key.decider.js';
import { Scopes } from '../domain/api-key.js';
import type { GivenLimits, Plan } from '../domain/plans.js';
import { KeyDecisions, type ChangedApiKey, type KeyRequest } from './key-decisions.js';
import { IsLimits, IsListOfScopes, IsPlan, type ApiKeyValues } from './key-values.rule.js';

export type ApiKeyChange = { readonly id: bigint } & (ChangeScopes | { readonly type: 'revoke' | 'unban' });

/**
 * Gives an API key a scope or takes one, ends it for ever, or lifts its ban, also one that the log does not have, and restarts its ladder of
 * bans. Nothing is recorded if the key is so already.
 */
export class ChangeApiKey extends Command<ChangedApiKey> {
  constructor(
    readonly change: ApiKeyChange,
    readonly request: KeyRequest,
  ) {
    super();
  }
}

@CommandHandler(ChangeApiKey)
export class ChangeApiKeyHandler implements ICommandHandler<ChangeApiKey> {
  constructor(private readonly decisions: KeyDecisions) {}

  /** @throws as `KeyDecisions` does */
  execute({ change: { id, ...change }, request }: ChangeApiKey): Promise<ChangedApiKey> {
    return this.decisions.change(id, change, request);
  }
}

/** Changes an API key, all or nothing. Undefined values stay. */
export class UpdateApiKey extends InputCommand<ApiKeyValues, ChangedApiKey> {
  @IfGiven()
  @IsText(255)
  @ApiDescription('What the key is for. 1 to 255 Unicode characters by the rules of a name.', 'Website')
  readonly name?: string;

  @IsNullable()
  @IsText(255)
  @ApiDescription('The owner; null removes it. 1 to 255 Unicode characters by the rules of a name.', 'Happy Paws GmbH')
  readonly owner?: string | null;

  @IsNullable()
  @IsTime()
  @ApiDescription('When it expires; null: never.')
  readonly expiresAt?: Date | null;

  @IfGiven()
  @IsPlan()
  @ApiDescription('The plan, which sets its limits.')
  readonly plan?: Plan;

  @IfGiven()
  @IsLimits({ partial: true })
  @ApiDescription('Limits of the plan `enterprise`; a limit that is absent stays.')
  readonly limits?: GivenLimits;

  @IfGiven()
  @IsListOfScopes()
  @ApiDescription('All its scopes after the change.')
  readonly scopes?: readonly string[];

  constructor(
    readonly id: bigint,
    values: Unchecked<ApiKeyValues>,
    readonly request: KeyRequest,
  ) {
    super(values, request.metadata);
  }
}

@CommandHandler(UpdateApiKey)
export class UpdateApiKeyHandler implements ICommandHandler<UpdateApiKey> {
  constructor(
    private readonly decisions: KeyDecisions,
    private readonly scopes: Scopes,
  ) {}

  /** @throws as `KeyDecisions` does */
  async execute(command: UpdateApiKey): Promise<ChangedApiKey> {
    const { id, request, name, owner, expiresAt, plan, limits, scopes } = command;
    assertValid(command, this.scopes.validationErrors(scopes));
    return this.decisions.change(id, { type: 'update', name, owner, expiresAt, plan, ...limits, scopes }, request);
  }
}

const LONGEST_BAN_SECONDS = 365 * 24 * 60 * 60;

export interface BanValues {
  readonly seconds: number;
  readonly reason: string;
}

/** Bans an API key from now on. Nothing changes if a ban in force lasts as long. */
export class ImposeBan extends InputCommand<BanValues, ChangedApiKey> {
  @IsWholeNumber(1, LONGEST_BAN_SECONDS)
  @ApiDescription('Length of the ban, at most a year.', 3600)
  readonly seconds!: number;

  @IsText(255)
  @ApiDescription(
    'The reason, shown to the client that uses the key. 1 to 255 Unicode characters by the rules of a name.',
    'A script of yours runs wild.',
  )
  readonly reason!: string;

  constructor(
    readonly id: bigint,
    values: Unchecked<BanValues>,
    readonly request: KeyRequest,
  ) {
    super(values, request.metadata);
  }
}

@CommandHandler(ImposeBan)
export class ImposeBanHandler implements ICommandHandler<ImposeBan> {
  constructor(private readonly decisions: KeyDecisions) {}

  /** @throws as `KeyDecisions` does */
  async execute(command: ImposeBan): Promise<ChangedApiKey> {
    assertValid(command);
    const { id, seconds, reason, request } = command;
    return this.decisions.change(id, { type: 'impose-ban', seconds, reason }, request);
  }
}
