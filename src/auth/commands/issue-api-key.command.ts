import { randomBytes } from 'node:crypto';
import { applyDecorators, Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { IsDate, IsIn, IsOptional } from 'class-validator';
import { Clock } from '#libs/observability';
import { EventStore, type EventMetadata } from '#libs/event-sourcing';
import { assertValid, IsText, IsWholeNumber } from '#libs/http';
import { apiKeyDecider } from '../domain/api-key.decider.js';
import { API_KEY_CATEGORY, parseApiKeyStream, PLANS, type Plan } from '../domain/api-key.js';
import { createToken, DEPLOYMENT, hashToken, readKeyStart, TOKEN_RANDOM_BYTES, type Deployment } from '../domain/api-key-token.js';
import { ApiKeyReader, type ApiKeyView } from '../read-model/api-key.reader.js';
import { Scopes } from './scopes.js';

const LARGEST_LIMIT = 1_000_000_000;

/** The name of a plan. */
export function IsPlan(): PropertyDecorator {
  return IsIn(PLANS, { message: `$property must be one of ${PLANS.join(', ')}` });
}

/** A limit of an enterprise key: a whole number from 1 to 1,000,000,000, or undefined. */
export function IsPlanLimit(): PropertyDecorator {
  return applyDecorators(IsOptional(), IsWholeNumber(1, LARGEST_LIMIT));
}

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

  @IsPlan()
  readonly plan: Plan;

  @IsPlanLimit()
  readonly perMinute: number | undefined;

  @IsPlanLimit()
  readonly perDay: number | undefined;

  /** Checked by the handler, which knows all scopes. */
  readonly scopes: readonly string[] | undefined;

  @IsOptional()
  @IsDate({ message: 'expiresAt must be a valid date' })
  readonly expiresAt: Date | undefined;

  readonly once: string | undefined;
  readonly metadata: EventMetadata;

  constructor(input: IssueApiKeyInput) {
    super();
    this.name = input.name;
    // The decorator rejects any other text before it is used.
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
    const { name, plan, perMinute, perDay, scopes = this.scopes.defaults(), expiresAt = null, once, metadata } = command;
    assertValid(command, this.scopes.validationErrors(scopes));
    const { deployment } = this;
    const token = createToken(deployment, randomBytes(TOKEN_RANDOM_BYTES));
    const secret = { deployment, hash: hashToken(token), keyStart: readKeyStart(token) };
    const decided = apiKeyDecider.decide(
      { type: 'issue', name, plan, perMinute, perDay, scopes, ...secret, expiresAt, now: this.clock.now() },
      apiKeyDecider.initialState,
    );
    const { events, replayed } = await this.store.append(
      [{ stream: { newIn: API_KEY_CATEGORY }, expectedVersion: 'noStream', events: decided }],
      { metadata, ...(once !== undefined && { idempotency: { scope: 'system', key: `issue-api-key:${once}`, fingerprint: once } }) },
    );
    const view = await this.reader.get(parseApiKeyStream(events[0]?.stream ?? ''));
    return { ...view, key: replayed ? null : token };
  }
}
