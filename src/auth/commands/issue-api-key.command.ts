import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { IsDate, IsOptional } from 'class-validator';
import { ApplicationError, Clock } from '#libs/observability';
import { EventStore, parseStreamNumber, type EventMetadata } from '#libs/event-sourcing';
import { assertValid, IsText } from '#libs/http';
import { apiKeyDecider } from '../domain/api-key.decider.js';
import { API_KEY_CATEGORY, Scopes } from '../domain/api-key.js';
import { createToken, DEPLOYMENT, hashToken, readKeyStart, TOKEN_RANDOM_BYTES, type Deployment } from '../domain/api-key-token.js';
import { ApiKeyReader, type ApiKeyView } from '../read-model/api-key.reader.js';

/** A key just issued. `key`: the token, shown only now; null if an earlier command of the same `once` issued the key. */
export type IssuedApiKey = ApiKeyView & { readonly key: string | null };

export interface IssueApiKeyInput {
  readonly name: string;
  /** Default: `free`. */
  readonly plan?: string | undefined;
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
  /** Default: the default scopes of all modules. */
  readonly scopes?: readonly string[] | undefined;
  readonly expiresAt?: Date | undefined;
  /** A name for which a key is issued once only, by the first instance to ask. */
  readonly once?: string | undefined;
  readonly metadata: EventMetadata;
}

/** Issues a new API key. */
export class IssueApiKey extends Command<IssuedApiKey> {
  @IsText(255)
  readonly name: string;

  @IsOptional()
  @IsDate({ message: 'expiresAt must be a valid date' })
  readonly expiresAt: Date | undefined;

  /** Checked by the handler and the decider. */
  readonly options: Omit<IssueApiKeyInput, 'name' | 'expiresAt'>;

  constructor({ name, expiresAt, ...options }: IssueApiKeyInput) {
    super();
    this.name = name;
    this.expiresAt = expiresAt;
    this.options = options;
  }
}

@CommandHandler(IssueApiKey)
export class IssueApiKeyHandler implements ICommandHandler<IssueApiKey> {
  constructor(
    private readonly store: EventStore,
    private readonly reader: ApiKeyReader,
    private readonly clock: Clock,
    private readonly scopes: Scopes,
    @Inject(DEPLOYMENT) private readonly deployment: Deployment,
  ) {}

  async execute(command: IssueApiKey): Promise<IssuedApiKey> {
    const { name, expiresAt = null, options } = command;
    const { plan = 'free', perMinute, perDay, scopes = this.scopes.defaults(), once, metadata } = options;
    assertValid(command, this.scopes.validationErrors(scopes));
    const { deployment } = this;
    const token = createToken(deployment, randomBytes(TOKEN_RANDOM_BYTES));
    const secret = { deployment, hash: hashToken(token), keyStart: readKeyStart(token) };
    const decided = apiKeyDecider.decide(
      { type: 'issue', name, plan, perMinute, perDay, scopes, ...secret, expiresAt, now: this.clock.now() },
      apiKeyDecider.initialState,
    );
    const issued = { stream: { newIn: API_KEY_CATEGORY }, expectedVersion: 'noStream', events: decided } as const;
    const idempotency = once === undefined ? undefined : { scope: 'system', key: `issue-api-key:${once}`, fingerprint: once };
    const { events, replayed } = await this.store.execute(() => [issued], { metadata, idempotency });
    const view = await this.reader.get(parseStreamNumber(events[0]?.stream ?? ''));
    return { ...view, key: replayed ? null : token };
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
    const command = new IssueApiKey({ name: 'demo', scopes: this.scopes.all(), once: 'demo', metadata: { actor: 'system' } });
    try {
      const { key } = await this.commands.execute(command);
      return key ?? undefined;
    } catch (error) {
      if (error instanceof ApplicationError && error.code === 'idempotency_key_in_progress') return undefined;
      throw error;
    }
  }
}
