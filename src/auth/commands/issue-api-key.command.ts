import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApiDescription, assertValid, IfGiven, InputCommand, IsText, IsTime, type Unchecked } from '#libs/http';
import { ApplicationError, Clock } from '#libs/observability';
import { EventStore, parseStreamNumber, type RequestIdempotency, type StreamAppend } from '#libs/event-sourcing';
import { apiKeyDecider, type ApiKeyValues } from '../domain/api-key.decider.js';
import { API_KEY_CATEGORY, MANAGE_KEYS, Scopes } from '../domain/api-key.js';
import { DEPLOYMENT, type Deployment } from '../domain/api-key-token.js';
import type { GivenLimits, Plan } from '../domain/plans.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../domain/api-key-view.js';
import { createSecret, KeyDecisions, type KeyRequest } from './key-decisions.js';
import { IsLimits, IsListOfScopes, IsPlan } from './key-values.rule.js';

/** A key just issued. `key`: the token, shown only now; null if an earlier command with the same idempotency key issued the key. */
export type IssuedApiKey = ApiKeyView & { readonly key: string | null };

/** Issues a new API key. */
export class IssueApiKey extends InputCommand<ApiKeyValues, IssuedApiKey> {
  @IsText(255)
  @ApiDescription('What the key is for. 1 to 255 Unicode characters by the rules of a name.', 'Website')
  readonly name!: string;

  @IfGiven()
  @IsText(255)
  @ApiDescription('The owner: who gets the key. 1 to 255 Unicode characters by the rules of a name.', 'Happy Paws GmbH')
  readonly owner?: string;

  @IfGiven()
  @IsTime()
  @ApiDescription('When it expires; default: never.')
  readonly expiresAt?: Date;

  @IfGiven()
  @IsPlan()
  @ApiDescription('The plan, which sets its limits; default: `free`.')
  readonly plan?: Plan;

  @IfGiven()
  @IsLimits({ partial: false })
  @ApiDescription('Limits of the plan `enterprise`, required for it; other plans have none.')
  readonly limits?: GivenLimits;

  @IfGiven()
  @IsListOfScopes()
  @ApiDescription('Its scopes; default: the default scopes of new keys.')
  readonly scopes?: readonly string[];

  constructor(
    values: Unchecked<ApiKeyValues>,
    readonly request: Omit<KeyRequest, 'precondition'>,
    idempotency?: RequestIdempotency,
  ) {
    super(values, request.metadata, idempotency);
  }

  /** Stored fingerprints have two places for limits, which are one input. */
  protected override fixedInputs(): readonly string[] {
    return ['name', 'owner', 'expiresAt', 'plan', 'perMinute', 'perDay', 'scopes'];
  }
}

@CommandHandler(IssueApiKey)
export class IssueApiKeyHandler implements ICommandHandler<IssueApiKey> {
  constructor(
    private readonly store: EventStore,
    private readonly decisions: KeyDecisions,
    private readonly reader: ApiKeyReader,
    private readonly clock: Clock,
    private readonly scopes: Scopes,
    @Inject(DEPLOYMENT) private readonly deployment: Deployment,
  ) {}

  /** @throws InsufficientScopeError, ApplicationError `invalid_request` */
  async execute(command: IssueApiKey): Promise<IssuedApiKey> {
    assertValid(command, this.scopes.validationErrors(command.scopes));
    const secret = createSecret(this.deployment);
    const { events, replayed } = await this.store.execute(() => this.decide(command, secret), command.appendOptions);
    const view = await this.reader.get(parseStreamNumber(events[0]?.stream ?? ''));
    return { ...view, key: replayed ? null : secret.token };
  }

  private async decide(command: IssueApiKey, { hash, keyStart }: ReturnType<typeof createSecret>): Promise<readonly StreamAppend[]> {
    const { values, request } = command;
    const { plan = 'free', scopes = this.scopes.defaults() } = values;
    const now = this.clock.now();
    const acting = await this.decisions.loadActingKey(request.by, now, MANAGE_KEYS);
    const issued = { ...values, plan, scopes, deployment: this.deployment, hash, keyStart };
    const events = apiKeyDecider.decide({ type: 'issue', ...issued, now, by: acting.key }, apiKeyDecider.initialState);
    return [{ stream: { newIn: API_KEY_CATEGORY }, events }, ...acting.unchanged];
  }
}

/** The keys of a first start. */
@Injectable()
export class FirstKeys {
  constructor(
    private readonly commands: CommandBus,
    private readonly reader: ApiKeyReader,
    private readonly clock: Clock,
    private readonly scopes: Scopes,
    @Inject(DEPLOYMENT) private readonly deployment: Deployment,
  ) {}

  /** Whether an operator must issue a key: every key is revoked or expired, and this is not development, where the service issues one. */
  async areMissing(): Promise<boolean> {
    return this.deployment !== 'development' && !(await this.reader.hasUsable(this.clock.now()));
  }

  /**
   * In development, if no key exists at all, issues the key `demo` with all scopes.
   * @returns its token, to be printed once; undefined if there is none to print, also if another instance issued it
   */
  async ensureDemoKey(): Promise<string | undefined> {
    if (this.deployment !== 'development' || (await this.reader.count()) > 0) return undefined;
    const idempotency = { scope: 'system', key: 'issue-api-key:demo' };
    const command = new IssueApiKey({ name: 'demo', scopes: this.scopes.all() }, { metadata: { actor: 'system' } }, idempotency);
    try {
      const { key } = await this.commands.execute(command);
      return key ?? undefined;
    } catch (error) {
      if (error instanceof ApplicationError && error.code === 'idempotency_key_in_progress') return undefined;
      throw error;
    }
  }
}
