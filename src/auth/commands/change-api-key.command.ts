import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApiDescription, IfGiven, IsNullable, IsText, IsTime, IsWholeNumber, toValid, type Unchecked } from '#libs/http';
import type { ApiKeyValues, KeyChange } from '../domain/api-key.decider.js';
import { Scopes } from '../domain/api-key.js';
import { DEPLOYMENT, type Deployment } from '../domain/api-key-token.js';
import type { ApiKeyView } from '../domain/api-key-view.js';
import type { GivenLimits, Plan } from '../domain/plans.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import { createSecret, KeyDecisions, type KeyRequest } from './key-decisions.js';
import { IsLimits, IsListOfScopes, IsPlan } from './key-values.rule.js';

/** Changes of an API key, all or nothing. Undefined values stay. */
export class ApiKeyChanges {
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
}

const LONGEST_BAN_SECONDS = 365 * 24 * 60 * 60;

/** A ban of an API key from now on. */
export class KeyBan {
  @IsWholeNumber(1, LONGEST_BAN_SECONDS)
  @ApiDescription('Length of the ban, at most a year.', 3600)
  readonly seconds!: number;

  @IsText(255)
  @ApiDescription(
    'The reason, shown to the client that uses the key. 1 to 255 Unicode characters by the rules of a name.',
    'A script of yours runs wild.',
  )
  readonly reason!: string;
}

/** A change of an API key with values as a caller gave them. */
export type ApiKeyChange = { readonly id: bigint } & (
  | ({ readonly type: 'update' } & Unchecked<ApiKeyValues>)
  | ({ readonly type: 'ban' } & Unchecked<KeyBan>)
  // `grace`: milliseconds for which the previous token still works. Default: 0, it ends at once. Older ones end at once.
  | { readonly type: 'rotate'; readonly grace?: number | undefined }
  | Extract<KeyChange, { readonly type: 'add-scope' | 'remove-scope' | 'revoke' | 'unban' }>
);

export interface ChangedApiKey {
  readonly apiKey: ApiKeyView;
  /** False if nothing had to change and no event was written. */
  readonly changed: boolean;
  /** The new token of a key that was rotated, shown only now. */
  readonly key?: string;
}

/**
 * Changes an API key, gives it a scope or takes one, gives it a new token, ends it for ever, bans it, or lifts its ban, also one that the log
 * does not have, and restarts its ladder of bans. Nothing is recorded if the key is so already, or a ban in force lasts as long.
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
  constructor(
    private readonly decisions: KeyDecisions,
    private readonly reader: ApiKeyReader,
    private readonly scopes: Scopes,
    @Inject(DEPLOYMENT) private readonly deployment: Deployment,
  ) {}

  /** @throws as `KeyDecisions` does */
  async execute({ change, request }: ChangeApiKey): Promise<ChangedApiKey> {
    const { token, decision } = this.toDecision(change);
    const changed = await this.decisions.append(change.id, decision, request);
    return { apiKey: await this.reader.get(change.id), changed, ...(token !== undefined && { key: token }) };
  }

  private toDecision(change: ApiKeyChange): { readonly decision: KeyChange; readonly token?: string } {
    switch (change.type) {
      case 'update':
        return { decision: { type: 'update', ...toValid(ApiKeyChanges, change, this.scopes.validationErrors(change.scopes)) } };
      case 'ban':
        return { decision: { type: 'ban', ...toValid(KeyBan, change) } };
      case 'rotate': {
        const { token, ...stored } = createSecret(this.deployment);
        return { token, decision: { type: 'rotate', grace: change.grace ?? 0, ...stored } };
      }
      default:
        return { decision: change };
    }
  }
}
