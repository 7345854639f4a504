import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/clock';
import { EventStore, executeDecider, type EventMetadata } from '#libs/event-store';
import { assertValid, IsWholeNumber } from '#libs/validation';
import { apiKeyDecider } from '../domain/api-key.decider.js';
import { apiKeyStream } from '../domain/api-key-stream.js';
import { createToken, hashToken, keyStartOf, TOKEN_RANDOM_BYTES } from '../domain/api-key-token.js';
import { DEPLOYMENT, type Deployment } from '../domain/deployment.js';
import { ApiKeyReader } from '../read-model/api-key.reader.js';
import type { ApiKeyView } from '../read-model/api-key.view.js';

const LONGEST_GRACE = 365 * 24 * 60 * 60 * 1_000;

/** A key with its new token, shown this once. */
export type RotatedApiKey = ApiKeyView & { readonly key: string };

export interface RotateApiKeyInput {
  readonly id: bigint;
  /** Milliseconds for which the token so far still works. Default 0: it ends at once. */
  readonly grace?: number | undefined;
  readonly metadata: EventMetadata;
}

/** Gives an API key a new token. A token older than the one so far ends at once. */
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
    private readonly store: EventStore,
    private readonly reader: ApiKeyReader,
    private readonly clock: Clock,
    @Inject(DEPLOYMENT) private readonly deployment: Deployment,
  ) {}

  async execute(command: RotateApiKey): Promise<RotatedApiKey> {
    assertValid(command);
    const { id, grace, metadata } = command;
    const token = createToken(this.deployment, randomBytes(TOKEN_RANDOM_BYTES));
    await executeDecider(this.store, {
      decider: apiKeyDecider,
      stream: apiKeyStream(id),
      command: { type: 'rotate', id, hash: hashToken(token), keyStart: keyStartOf(token), grace, now: this.clock.now() },
      metadata,
    });
    return { ...(await this.reader.get(id)), key: token };
  }
}
