import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { IsDate, IsOptional } from 'class-validator';
import { Clock } from '#libs/clock';
import { EventStore, type AppendResult, type EventMetadata } from '#libs/event-store';
import { assertValid, IsText } from '#libs/validation';
import { apiKeyDecider } from '../domain/api-key.decider.js';
import { API_KEY_CATEGORY, apiKeyIdOf } from '../domain/api-key-stream.js';
import { createToken, hashToken, keyStartOf, TOKEN_RANDOM_BYTES } from '../domain/api-key-token.js';
import { DEPLOYMENT, type Deployment } from '../domain/deployment.js';
import type { Plan } from '../domain/plan.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../read-model/api-key.view.js';
import { IsPlan, IsPlanLimit } from './plan.rule.js';
import { Scopes } from './scopes.js';

/** A key just issued. `key` is the token, shown this once; null when the key had been issued by an earlier command of the same `once`. */
export type IssuedApiKey = ApiKeyView & { readonly key: string | null };

export interface IssueApiKeyInput {
  readonly name: string;
  /** Default `free`. */
  readonly plan?: string | undefined;
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
  /** Default: those that a module marks so. */
  readonly scopes?: readonly string[] | undefined;
  readonly expiresAt?: Date | undefined;
  /** A name under which a key is issued once and never again, by whichever instance asks first. */
  readonly once?: string | undefined;
  readonly metadata: EventMetadata;
}

/** Makes a new API key. */
export class IssueApiKey extends Command<IssuedApiKey> {
  @IsText(255)
  readonly name: string;

  @IsPlan()
  readonly plan: Plan;

  @IsPlanLimit()
  readonly perMinute: number | undefined;

  @IsPlanLimit()
  readonly perDay: number | undefined;

  /** Checked by the handler, which knows those that there are; undefined: the default ones. */
  readonly scopes: readonly string[] | undefined;

  @IsOptional()
  @IsDate({ message: 'expiresAt must be a valid date' })
  readonly expiresAt: Date | undefined;

  readonly once: string | undefined;
  readonly metadata: EventMetadata;

  constructor(input: IssueApiKeyInput) {
    super();
    this.name = input.name;
    // The decorators refuse any other plan before it is used.
    this.plan = (input.plan ?? 'free') as Plan;
    this.scopes = input.scopes;
    this.perMinute = input.perMinute;
    this.perDay = input.perDay;
    this.expiresAt = input.expiresAt;
    this.once = input.once;
    this.metadata = input.metadata;
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
    const scopes = command.scopes ?? this.scopes.defaults();
    assertValid(command, this.scopes.faultsOf(scopes));
    const token = createToken(this.deployment, randomBytes(TOKEN_RANDOM_BYTES));
    const { events, replayed } = await this.append(command, scopes, token);
    const view = await this.reader.get(apiKeyIdOf(events[0]?.stream ?? ''));
    return { ...view, key: replayed ? null : token };
  }

  private append(command: IssueApiKey, scopes: readonly string[], token: string): Promise<AppendResult> {
    const { name, plan, perMinute, perDay, expiresAt, once, metadata } = command;
    const events = apiKeyDecider.decide(
      {
        type: 'issue',
        name,
        plan,
        perMinute,
        perDay,
        scopes,
        deployment: this.deployment,
        hash: hashToken(token),
        keyStart: keyStartOf(token),
        expiresAt: expiresAt ?? null,
        now: this.clock.now(),
      },
      apiKeyDecider.initialState,
    );
    return this.store.append([{ stream: { newIn: API_KEY_CATEGORY }, expectedVersion: 'noStream', events }], {
      metadata,
      ...(once === undefined ? {} : { idempotency: { scope: 'system', key: `issue-api-key:${once}`, fingerprint: once } }),
    });
  }
}
