import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApiDescription, assertValid, computeFingerprint, IfGiven, InputCommand, IsTime, type Unchecked } from '#libs/http';
import { ApplicationError, Clock } from '#libs/observability';
import { EventStore, parseStreamNumber, type RequestIdempotency, type StreamAppend } from '#libs/event-sourcing';
import { apiKeyDecider } from '../domain/api-key.decider.js';
import { API_KEY_CATEGORY, Scopes } from '../domain/api-key.js';
import { createToken, DEPLOYMENT, hashToken, readKeyStart, TOKEN_RANDOM_BYTES, type Deployment } from '../domain/api-key-token.js';
import { MANAGE_KEYS } from '../domain/acting-key.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../domain/api-key-view.js';
import { KeyDecisions, type KeyRequest } from './key-decisions.js';
import { IsKeyText, IsLimits, IsListOfScopes, IsPlan, type GivenLimits } from './key-values.rule.js';

/** A key just issued. `key`: the token, shown only now; null if an earlier command of the same `once` issued the key. */
export type IssuedApiKey = ApiKeyView & { readonly key: string | null };

/** Values of a new key. */
export interface NewApiKeyValues {
  readonly name: string;
  readonly owner?: string | undefined;
  readonly expiresAt?: Date | undefined;
  /** Default: `free`. */
  readonly plan?: string | undefined;
  readonly limits?: GivenLimits | undefined;
  /** Default: the default scopes of all modules. */
  readonly scopes?: readonly string[] | undefined;
}

/** Who issues a key, and how a repeated request is recognised. */
export interface IssueRequest extends Omit<KeyRequest, 'precondition'> {
  readonly idempotency?: RequestIdempotency | undefined;
  /** A name for which a key is issued once only, by the first instance to ask. */
  readonly once?: string | undefined;
}

/** Issues a new API key. */
export class IssueApiKey extends InputCommand<NewApiKeyValues, IssuedApiKey> {
  @IsKeyText()
  @ApiDescription('What the key is for. 1 to 255 Unicode characters by the rules of a name.', 'Website')
  readonly name!: string;

  @IfGiven()
  @IsKeyText()
  @ApiDescription('The owner: who gets the key. 1 to 255 Unicode characters by the rules of a name.', 'Happy Paws GmbH')
  readonly owner?: string;

  @IfGiven()
  @IsTime()
  @ApiDescription('When it expires; default: never.')
  readonly expiresAt?: Date;

  @IfGiven()
  @IsPlan()
  @ApiDescription('The plan, which sets its limits; default: `free`.')
  readonly plan?: string;

  @IfGiven()
  @IsLimits({ partial: false })
  @ApiDescription('Limits of the plan `enterprise`, required for it; other plans have none.')
  readonly limits?: GivenLimits;

  @IfGiven()
  @IsListOfScopes()
  @ApiDescription('Its scopes; default: the default scopes of new keys.')
  readonly scopes?: readonly string[];

  constructor(
    values: Unchecked<NewApiKeyValues>,
    readonly request: IssueRequest,
  ) {
    super(values, request.metadata);
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
    const token = createToken(this.deployment, randomBytes(TOKEN_RANDOM_BYTES));
    const { metadata } = command.request;
    const options = { metadata, idempotency: getIdempotency(command) };
    const { events, replayed } = await this.store.execute(() => this.decide(command, token), options);
    const view = await this.reader.get(parseStreamNumber(events[0]?.stream ?? ''));
    return { ...view, key: replayed ? null : token };
  }

  private async decide(command: IssueApiKey, token: string): Promise<readonly StreamAppend[]> {
    const { name, owner, expiresAt = null, plan = 'free', limits, scopes = this.scopes.defaults(), request } = command;
    const { deployment } = this;
    const now = this.clock.now();
    const acting = await this.decisions.loadActingKey(request.by, now, MANAGE_KEYS);
    const secret = { deployment, hash: hashToken(token), keyStart: readKeyStart(token) };
    const values = { name, owner, plan, ...limits, scopes, expiresAt };
    const events = apiKeyDecider.decide({ type: 'issue', ...values, ...secret, now, by: acting.key }, apiKeyDecider.initialState);
    return [{ stream: { newIn: API_KEY_CATEGORY }, events }, ...acting.unchanged];
  }
}

function getIdempotency({ name, owner, expiresAt, plan, limits, scopes, request: { idempotency, once } }: IssueApiKey) {
  if (once !== undefined) return { scope: 'system', key: `issue-api-key:${once}`, fingerprint: once };
  const values = [name, owner, expiresAt, plan, limits?.perMinute, limits?.perDay, scopes];
  return idempotency && { ...idempotency, fingerprint: computeFingerprint(values) };
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
    const command = new IssueApiKey({ name: 'demo', scopes: this.scopes.all() }, { once: 'demo', metadata: { actor: 'system' } });
    try {
      const { key } = await this.commands.execute(command);
      return key ?? undefined;
    } catch (error) {
      if (error instanceof ApplicationError && error.code === 'idempotency_key_in_progress') return undefined;
      throw error;
    }
  }
}
