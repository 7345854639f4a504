import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApiDescription, assertValid, IfGiven, InputCommand, IsNullable, IsText, IsTime, type Unchecked } from '#libs/http';
import { Clock } from '#libs/observability';
import type { ApiKeyChange } from '../domain/api-key.decider.js';
import { Scopes } from '../domain/api-key.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../domain/api-key-view.js';
import { KeyDecisions, type KeyRequest } from './key-decisions.js';
import { IsBanLength, IsKeyText, IsLimits, IsListOfScopes, IsPlan, type GivenLimits } from './key-values.rule.js';

export interface ChangedApiKey {
  readonly apiKey: ApiKeyView;
  /** False if nothing had to change and no event was written. */
  readonly changed: boolean;
}

/**
 * Changes an API key, gives it a scope or takes one, ends it for ever, or lifts its ban, also one that the log does not have, and
 * restarts its ladder of bans. Nothing is recorded if the key is so already.
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
  ) {}

  /** @throws as `KeyDecisions` does; ApplicationError `invalid_request` for what the rules of a key forbid */
  async execute({ change, request }: ChangeApiKey): Promise<ChangedApiKey> {
    const known = this.scopes.all();
    const changed = await this.decisions.decide(change.id, request, (by, now) => ({ ...change, by, now, known }));
    return { apiKey: await this.reader.get(change.id), changed };
  }
}

export interface ApiKeyValues {
  readonly name?: string;
  readonly owner?: string | null;
  readonly expiresAt?: Date | null;
  readonly plan?: string;
  readonly limits?: GivenLimits;
  readonly scopes?: readonly string[];
}

/** Changes an API key, all or nothing. Undefined values stay. */
export class UpdateApiKey extends InputCommand<ApiKeyValues, ChangedApiKey> {
  @IfGiven()
  @IsKeyText()
  @ApiDescription('What the key is for. 1 to 255 Unicode characters by the rules of a name.', 'Website')
  readonly name?: string;

  @IsNullable()
  @IsKeyText()
  @ApiDescription('The owner; null removes it. 1 to 255 Unicode characters by the rules of a name.', 'Happy Paws GmbH')
  readonly owner?: string | null;

  @IsNullable()
  @IsTime()
  @ApiDescription('When it expires; null: never.')
  readonly expiresAt?: Date | null;

  @IfGiven()
  @IsPlan()
  @ApiDescription('The plan, which sets its limits.')
  readonly plan?: string;

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
    private readonly reader: ApiKeyReader,
    private readonly scopes: Scopes,
  ) {}

  /** @throws as `KeyDecisions` does; ApplicationError `invalid_request` */
  async execute(command: UpdateApiKey): Promise<ChangedApiKey> {
    const { id, request, name, owner, expiresAt, plan, limits, scopes } = command;
    assertValid(command, this.scopes.validationErrors(scopes));
    const changes = { name, owner, expiresAt, plan, ...limits, scopes };
    const changed = await this.decisions.decide(id, request, (by, now) => ({ type: 'update', id, changes, by, now }));
    return { apiKey: await this.reader.get(id), changed };
  }
}

export interface BanValues {
  readonly seconds: number;
  readonly reason: string;
}

/** Bans an API key from now on. Nothing changes if a ban in force lasts as long. */
export class ImposeBan extends InputCommand<BanValues, ChangedApiKey> {
  @IsBanLength()
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
  constructor(
    private readonly decisions: KeyDecisions,
    private readonly reader: ApiKeyReader,
    private readonly clock: Clock,
  ) {}

  /** @throws as `KeyDecisions` does; ApplicationError `invalid_request` */
  async execute(command: ImposeBan): Promise<ChangedApiKey> {
    assertValid(command);
    const { id, seconds, reason, request } = command;
    const until = new Date(this.clock.now().getTime() + seconds * 1_000);
    const changed = await this.decisions.decide(id, request, () => ({ type: 'impose-ban', id, until, reason }));
    return { apiKey: await this.reader.get(id), changed };
  }
}
