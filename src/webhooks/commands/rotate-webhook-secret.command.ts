import { randomBytes } from 'node:crypto';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/clock';
import type { EventMetadata } from '#libs/event-store';
import { assertValid, durationOf, IsInt64 } from '#libs/validation';
import { createWebhookSecret, SECRET_RANDOM_BYTES } from '../domain/webhook-signature.js';
import type { WebhookView } from '../domain/webhook.js';
import { WebhookSecrets } from '../signing/webhook-secrets.js';
import { DEFAULT_GRACE, IsGrace } from './grace.rule.js';
import { WebhookStreams } from './webhook-streams.js';

export interface RotatedWebhook {
  readonly webhook: WebhookView;
  /** The new one, given this once. */
  readonly secret: string;
}

/** Gives an endpoint a new secret. The one so far signs too for a while, and older ones until their own time. */
export class RotateWebhookSecret extends Command<RotatedWebhook> {
  @IsInt64()
  readonly id: bigint;

  @IsGrace()
  readonly grace: string;

  constructor(
    values: { readonly id: unknown; readonly grace?: unknown },
    readonly metadata: EventMetadata,
  ) {
    super();
    // The types hold once the rules have been checked, which the handler does first.
    this.id = values.id as bigint;
    this.grace = (values.grace ?? DEFAULT_GRACE) as string;
  }
}

@CommandHandler(RotateWebhookSecret)
export class RotateWebhookSecretHandler implements ICommandHandler<RotateWebhookSecret> {
  constructor(
    private readonly webhooks: WebhookStreams,
    private readonly secrets: WebhookSecrets,
    private readonly clock: Clock,
  ) {}

  /** @throws WebhookNotFoundError, TooManySecretsError */
  async execute(command: RotateWebhookSecret): Promise<RotatedWebhook> {
    assertValid(command);
    const { id, metadata } = command;
    const grace = durationOf(command.grace) ?? 0;
    const previousValidUntil = grace === 0 ? null : new Date(this.clock.now().getTime() + grace);
    const secret = createWebhookSecret(randomBytes(SECRET_RANDOM_BYTES));
    const { webhook } = await this.webhooks.decide({
      command: { kind: 'rotate-secret', id, previousValidUntil },
      metadata,
      withinTransaction: (transaction) => this.secrets.rotate(transaction, id, { secret, previousValidUntil }),
    });
    return { webhook, secret };
  }
}
